from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.rejected_finding import RejectedFinding





T = TypeVar("T", bound="CondensedFile")



@_attrs_define
class CondensedFile:
    """ A condensed output.

        Attributes:
            name (str): The file's name.
            content (str): Its condensed content.
            original_bytes (int): Its bytes before.
            condensed_bytes (int): Its bytes after.
            kept (int): Valid findings; all of them are in `content`.
            rejected (list[RejectedFinding]): Findings that are not valid, in order; they are in `content` word for word.
     """

    name: str
    content: str
    original_bytes: int
    condensed_bytes: int
    kept: int
    rejected: list[RejectedFinding]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.rejected_finding import RejectedFinding # noqa: PLC0415
        name = self.name

        content = self.content

        original_bytes = self.original_bytes

        condensed_bytes = self.condensed_bytes

        kept = self.kept

        rejected = []
        for rejected_item_data in self.rejected:
            rejected_item = rejected_item_data.to_dict()
            rejected.append(rejected_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "name": name,
            "content": content,
            "original_bytes": original_bytes,
            "condensed_bytes": condensed_bytes,
            "kept": kept,
            "rejected": rejected,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.rejected_finding import RejectedFinding # noqa: PLC0415
        d = dict(src_dict)
        name = d.pop("name")

        content = d.pop("content")

        original_bytes = d.pop("original_bytes")

        condensed_bytes = d.pop("condensed_bytes")

        kept = d.pop("kept")

        rejected = []
        _rejected = d.pop("rejected")
        for rejected_item_data in (_rejected):
            rejected_item = RejectedFinding.from_dict(rejected_item_data)



            rejected.append(rejected_item)


        condensed_file = cls(
            name=name,
            content=content,
            original_bytes=original_bytes,
            condensed_bytes=condensed_bytes,
            kept=kept,
            rejected=rejected,
        )


        condensed_file.additional_properties = d
        return condensed_file

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
