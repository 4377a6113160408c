from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.probe_kind import ProbeKind
from ..models.summary_section import SummarySection
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.probe_match import ProbeMatch





T = TypeVar("T", bound="Probe")



@_attrs_define
class Probe:
    """ A question with the facts that its answer must hold.

        Attributes:
            kind (ProbeKind): The subject of a probe.
            question (str): The question.
            expected (list[str]): The facts that the answer must hold; one of an exam's may name several spellings, with ` |
                ` between them.
            match (ProbeMatch | Unset): How many of the expected facts an answer needs.
            section (None | SummarySection | Unset): The section that must hold them; any when absent.
            exact (bool | Unset): Whether the facts are paths or identifiers, which match to the letter.
            critical (bool | Unset): Whether a version that fails it is refused; asked again after every later compression.
            seqs (list[int] | Unset): The messages that the facts came from.
            reference (None | str | Unset): The answer that an examiner wrote from the messages. Only questions of an exam
                have one, and a model
                answers them, not code.
     """

    kind: ProbeKind
    question: str
    expected: list[str]
    match: ProbeMatch | Unset = UNSET
    section: None | SummarySection | Unset = UNSET
    exact: bool | Unset = UNSET
    critical: bool | Unset = UNSET
    seqs: list[int] | Unset = UNSET
    reference: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.probe_match import ProbeMatch # noqa: PLC0415
        kind = self.kind.value

        question = self.question

        expected = self.expected



        match: dict[str, Any] | Unset = UNSET
        if not isinstance(self.match, Unset):
            match = self.match.to_dict()

        section: None | str | Unset
        if isinstance(self.section, Unset):
            section = UNSET
        elif isinstance(self.section, SummarySection):
            section = self.section.value
        else:
            section = self.section

        exact = self.exact

        critical = self.critical

        seqs: list[int] | Unset = UNSET
        if not isinstance(self.seqs, Unset):
            seqs = self.seqs



        reference: None | str | Unset
        if isinstance(self.reference, Unset):
            reference = UNSET
        else:
            reference = self.reference


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "kind": kind,
            "question": question,
            "expected": expected,
        })
        if match is not UNSET:
            field_dict["match"] = match
        if section is not UNSET:
            field_dict["section"] = section
        if exact is not UNSET:
            field_dict["exact"] = exact
        if critical is not UNSET:
            field_dict["critical"] = critical
        if seqs is not UNSET:
            field_dict["seqs"] = seqs
        if reference is not UNSET:
            field_dict["reference"] = reference

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.probe_match import ProbeMatch # noqa: PLC0415
        d = dict(src_dict)
        kind = ProbeKind(d.pop("kind"))




        question = d.pop("question")

        expected = cast(list[str], d.pop("expected"))


        _match = d.pop("match", UNSET)
        match: ProbeMatch | Unset
        if isinstance(_match,  Unset):
            match = UNSET
        else:
            match = ProbeMatch.from_dict(_match)




        def _parse_section(data: object) -> None | SummarySection | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                section_type_0 = SummarySection(data)



                return section_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SummarySection | Unset, data)

        section = _parse_section(d.pop("section", UNSET))


        exact = d.pop("exact", UNSET)

        critical = d.pop("critical", UNSET)

        seqs = cast(list[int], d.pop("seqs", UNSET))


        def _parse_reference(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reference = _parse_reference(d.pop("reference", UNSET))


        probe = cls(
            kind=kind,
            question=question,
            expected=expected,
            match=match,
            section=section,
            exact=exact,
            critical=critical,
            seqs=seqs,
            reference=reference,
        )


        probe.additional_properties = d
        return probe

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
