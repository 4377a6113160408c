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





T = TypeVar("T", bound="ProbePatch")



@_attrs_define
class ProbePatch:
    """ A change of a probe of the caller's own; what is absent stays.

        Attributes:
            kind (None | ProbeKind | Unset): The subject of the question.
            question (None | str | Unset): The question.
            expected (list[str] | None | Unset): The facts that the answer must hold, in place of those before.
            match (None | ProbeMatch | Unset): How many of them it needs; null for all.
            exact (bool | None | Unset): Whether the facts match to the letter, like paths and identifiers; null for false.
            critical (bool | None | Unset): Whether a version that fails it is refused; null for false.
     """

    kind: None | ProbeKind | Unset = UNSET
    question: None | str | Unset = UNSET
    expected: list[str] | None | Unset = UNSET
    match: None | ProbeMatch | Unset = UNSET
    exact: bool | None | Unset = UNSET
    critical: bool | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.probe_match import ProbeMatch # noqa: PLC0415
        kind: None | str | Unset
        if isinstance(self.kind, Unset):
            kind = UNSET
        elif isinstance(self.kind, ProbeKind):
            kind = self.kind.value
        else:
            kind = self.kind

        question: None | str | Unset
        if isinstance(self.question, Unset):
            question = UNSET
        else:
            question = self.question

        expected: list[str] | None | Unset
        if isinstance(self.expected, Unset):
            expected = UNSET
        elif isinstance(self.expected, list):
            expected = self.expected


        else:
            expected = self.expected

        match: dict[str, Any] | None | Unset
        if isinstance(self.match, Unset):
            match = UNSET
        elif isinstance(self.match, ProbeMatch):
            match = self.match.to_dict()
        else:
            match = self.match

        exact: bool | None | Unset
        if isinstance(self.exact, Unset):
            exact = UNSET
        else:
            exact = self.exact

        critical: bool | None | Unset
        if isinstance(self.critical, Unset):
            critical = UNSET
        else:
            critical = self.critical


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if kind is not UNSET:
            field_dict["kind"] = kind
        if question is not UNSET:
            field_dict["question"] = question
        if expected is not UNSET:
            field_dict["expected"] = expected
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
        def _parse_kind(data: object) -> None | ProbeKind | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                kind_type_0 = ProbeKind(data)



                return kind_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ProbeKind | Unset, data)

        kind = _parse_kind(d.pop("kind", UNSET))


        def _parse_question(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        question = _parse_question(d.pop("question", UNSET))


        def _parse_expected(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                expected_type_0 = cast(list[str], data)

                return expected_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        expected = _parse_expected(d.pop("expected", UNSET))


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


        def _parse_exact(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        exact = _parse_exact(d.pop("exact", UNSET))


        def _parse_critical(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        critical = _parse_critical(d.pop("critical", UNSET))


        probe_patch = cls(
            kind=kind,
            question=question,
            expected=expected,
            match=match,
            exact=exact,
            critical=critical,
        )

        return probe_patch

