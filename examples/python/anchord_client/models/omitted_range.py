from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="OmittedRange")



@_attrs_define
class OmittedRange:
    """ A run of messages that is not served, or not in full.

        Attributes:
            from_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            to_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            reason (str): The reason: `budget`, `clipped`, `thinking`, `unsupported`, `marked`, `in_system` or `held`.
     """

    from_seq: int
    to_seq: int
    reason: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from_seq = self.from_seq

        to_seq = self.to_seq

        reason = self.reason


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "from_seq": from_seq,
            "to_seq": to_seq,
            "reason": reason,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        from_seq = d.pop("from_seq")

        to_seq = d.pop("to_seq")

        reason = d.pop("reason")

        omitted_range = cls(
            from_seq=from_seq,
            to_seq=to_seq,
            reason=reason,
        )


        omitted_range.additional_properties = d
        return omitted_range

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
