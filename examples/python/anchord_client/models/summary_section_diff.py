from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.summary_section import SummarySection
from typing import cast

if TYPE_CHECKING:
  from ..models.summary_entry_change import SummaryEntryChange





T = TypeVar("T", bound="SummarySectionDiff")



@_attrs_define
class SummarySectionDiff:
    """ The difference within one section.

        Attributes:
            section (SummarySection): One section of the summary, under its JSON field's name.
            added (list[Any]): Entries that only the later version has.
            changed (list[SummaryEntryChange]): Entries that both have, in another form.
            dropped (list[Any]): Entries that only the earlier version has.
     """

    section: SummarySection
    added: list[Any]
    changed: list[SummaryEntryChange]
    dropped: list[Any]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.summary_entry_change import SummaryEntryChange # noqa: PLC0415
        section = self.section.value

        added = self.added



        changed = []
        for changed_item_data in self.changed:
            changed_item = changed_item_data.to_dict()
            changed.append(changed_item)



        dropped = self.dropped




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "section": section,
            "added": added,
            "changed": changed,
            "dropped": dropped,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.summary_entry_change import SummaryEntryChange # noqa: PLC0415
        d = dict(src_dict)
        section = SummarySection(d.pop("section"))




        added = cast(list[Any], d.pop("added"))


        changed = []
        _changed = d.pop("changed")
        for changed_item_data in (_changed):
            changed_item = SummaryEntryChange.from_dict(changed_item_data)



            changed.append(changed_item)


        dropped = cast(list[Any], d.pop("dropped"))


        summary_section_diff = cls(
            section=section,
            added=added,
            changed=changed,
            dropped=dropped,
        )


        summary_section_diff.additional_properties = d
        return summary_section_diff

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
