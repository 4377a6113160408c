from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="ImportResult")



@_attrs_define
class ImportResult:
    """ The result of an import.

        Attributes:
            session_id (str): The caller's name for a session (`session_id` in the API), unique per tenant.
            messages (int): Messages of this call.
            versions_left (int): Versions of this call, which are not taken: the next compression makes its own.
            next_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
     """

    session_id: str
    messages: int
    versions_left: int
    next_seq: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        session_id = self.session_id

        messages = self.messages

        versions_left = self.versions_left

        next_seq = self.next_seq


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "session_id": session_id,
            "messages": messages,
            "versions_left": versions_left,
            "next_seq": next_seq,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        session_id = d.pop("session_id")

        messages = d.pop("messages")

        versions_left = d.pop("versions_left")

        next_seq = d.pop("next_seq")

        import_result = cls(
            session_id=session_id,
            messages=messages,
            versions_left=versions_left,
            next_seq=next_seq,
        )


        import_result.additional_properties = d
        return import_result

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
