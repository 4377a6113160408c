from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.compression_status import CompressionStatus
from typing import cast
import datetime






T = TypeVar("T", bound="PendingCompression")



@_attrs_define
class PendingCompression:
    """ A single call that has not ended yet.

        Attributes:
            id (str): An id that starts with `cmp_`.
            status (CompressionStatus): How far a compression is.
            expires_at (datetime.datetime): Until when it can be read; then messages and result are erased.
     """

    id: str
    status: CompressionStatus
    expires_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        status = self.status.value

        expires_at = self.expires_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "status": status,
            "expires_at": expires_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        status = CompressionStatus(d.pop("status"))




        expires_at = datetime.datetime.fromisoformat(d.pop("expires_at"))




        pending_compression = cls(
            id=id,
            status=status,
            expires_at=expires_at,
        )


        pending_compression.additional_properties = d
        return pending_compression

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
