from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.probe_kind import ProbeKind
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.probe_match import ProbeMatch





T = TypeVar("T", bound="CreateProbe")



@_attrs_define
class CreateProbe:
    """ A probe of the caller's own.

        Attributes:
            kind (ProbeKind): The subject of a probe.
            question (str): The question.
            expected (list[str]): The facts that the answer must hold, as the summary has to show them.
            match (None | ProbeMatch | Unset): How many of them it needs. Default `{"kind": "all"}`.
            exact (bool | Unset): Whether the facts match to the letter, like paths and identifiers. Default false.
            critical (bool | Unset): Whether a version that fails it is refused. Default false: then it is told in the
                version's warnings and the
                compression's flags. Either way, what the compressed messages answer is added to the summary.
     """

    kind: ProbeKind
    question: str
    expected: list[str]
    match: None | ProbeMatch | Unset = UNSET
    exact: bool | Unset = UNSET
    critical: bool | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.probe_match import ProbeMatch # noqa: PLC0415
        kind = self.kind.value

        question = self.question

        expected = self.expected



        match: dict[str, Any] | None | Unset
        if isinstance(self.match, Unset):
            match = UNSET
        elif isinstance(self.match, ProbeMatch):
            match = self.match.to_dict()
        else:
            match = self.match

        exact = self.exact

        critical = self.critical


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "kind": kind,
            "question": question,
            "expected": expected,
        })
        if match is not UNSET:
            field_dict["match"] = match
        if exact is not UNSET:
            field_dict["exact"] = exact
        if critical is not UNSET:
            field_dict["critical"] = critical

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.probe_match import ProbeMatch # noqa: PLC0415
        d = dict(src_dict)
        kind = ProbeKind(d.pop("kind"))




        question = d.pop("question")

        expected = cast(list[str], d.pop("expected"))


        def _parse_match(data: object) -> None | ProbeMatch | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                match_type_0 = ProbeMatch.from_dict(data)



                return match_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ProbeMatch | Unset, data)

        match = _parse_match(d.pop("match", UNSET))


        exact = d.pop("exact", UNSET)

        critical = d.pop("critical", UNSET)

        create_probe = cls(
            kind=kind,
            question=question,
            expected=expected,
            match=match,
            exact=exact,
            critical=critical,
        )

        return create_probe

