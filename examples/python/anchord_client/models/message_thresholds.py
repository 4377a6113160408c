from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="MessageThresholds")



@_attrs_define
class MessageThresholds:
    """ Uncompressed messages at which the message-count signal acts.

        Attributes:
            optional (int | None | Unset): Default 30.
            compress (int | None | Unset): Default 50.
            force (int | None | Unset): Default 70.
     """

    optional: int | None | Unset = UNSET
    compress: int | None | Unset = UNSET
    force: int | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        optional: int | None | Unset
        if isinstance(self.optional, Unset):
            optional = UNSET
        else:
            optional = self.optional

        compress: int | None | Unset
        if isinstance(self.compress, Unset):
            compress = UNSET
        else:
            compress = self.compress

        force: int | None | Unset
        if isinstance(self.force, Unset):
            force = UNSET
        else:
            force = self.force


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if optional is not UNSET:
            field_dict["optional"] = optional
        if compress is not UNSET:
            field_dict["compress"] = compress
        if force is not UNSET:
            field_dict["force"] = force

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_optional(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        optional = _parse_optional(d.pop("optional", UNSET))


        def _parse_compress(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        compress = _parse_compress(d.pop("compress", UNSET))


        def _parse_force(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        force = _parse_force(d.pop("force", UNSET))


        message_thresholds = cls(
            optional=optional,
            compress=compress,
            force=force,
        )

        return message_thresholds

