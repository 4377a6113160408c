from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.summary_section_diff import SummarySectionDiff





T = TypeVar("T", bound="SummaryDiff")



@_attrs_define
class SummaryDiff:
    """ Entries that were added, changed and dropped between two versions.

        Attributes:
            sections (list[SummarySectionDiff]): The sections that differ, in the order of the document.
            from_ (int | None): The earlier version; null when the later one has none before it.
            to (int): The later version.
     """

    sections: list[SummarySectionDiff]
    from_: int | None
    to: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.summary_section_diff import SummarySectionDiff # noqa: PLC0415
        sections = []
        for sections_item_data in self.sections:
            sections_item = sections_item_data.to_dict()
            sections.append(sections_item)



        from_: int | None
        from_ = self.from_

        to = self.to


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "sections": sections,
            "from": from_,
            "to": to,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.summary_section_diff import SummarySectionDiff # noqa: PLC0415
        d = dict(src_dict)
        sections = []
        _sections = d.pop("sections")
        for sections_item_data in (_sections):
            sections_item = SummarySectionDiff.from_dict(sections_item_data)



            sections.append(sections_item)


        def _parse_from_(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        from_ = _parse_from_(d.pop("from"))


        to = d.pop("to")

        summary_diff = cls(
            sections=sections,
            from_=from_,
            to=to,
        )


        summary_diff.additional_properties = d
        return summary_diff

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
