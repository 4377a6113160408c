from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.error_status import ErrorStatus
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ErrorEntry")



@_attrs_define
class ErrorEntry:
    """ An error that occurred in the session.

        Attributes:
            message (str): Its first useful line.
            status (ErrorStatus): Whether an error is resolved.
            count (int): How many times it occurred.
            seqs (list[int]): The messages that it came from.
            type_ (None | str | Unset): Its kind (`TypeError`, `E0308`, `TS2322`, `git` …), when it has one.
            resolution (None | str | Unset): How it was resolved.
            location (None | str | Unset): Where it occurred: a file and line, or the command.
            resolved_in_version (int | None | Unset): The first version that shows it as resolved; it is rendered in that
                version and the next.
     """

    message: str
    status: ErrorStatus
    count: int
    seqs: list[int]
    type_: None | str | Unset = UNSET
    resolution: None | str | Unset = UNSET
    location: None | str | Unset = UNSET
    resolved_in_version: int | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        message = self.message

        status = self.status.value

        count = self.count

        seqs = self.seqs



        type_: None | str | Unset
        if isinstance(self.type_, Unset):
            type_ = UNSET
        else:
            type_ = self.type_

        resolution: None | str | Unset
        if isinstance(self.resolution, Unset):
            resolution = UNSET
        else:
            resolution = self.resolution

        location: None | str | Unset
        if isinstance(self.location, Unset):
            location = UNSET
        else:
            location = self.location

        resolved_in_version: int | None | Unset
        if isinstance(self.resolved_in_version, Unset):
            resolved_in_version = UNSET
        else:
            resolved_in_version = self.resolved_in_version


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "message": message,
            "status": status,
            "count": count,
            "seqs": seqs,
        })
        if type_ is not UNSET:
            field_dict["type"] = type_
        if resolution is not UNSET:
            field_dict["resolution"] = resolution
        if location is not UNSET:
            field_dict["location"] = location
        if resolved_in_version is not UNSET:
            field_dict["resolved_in_version"] = resolved_in_version

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        message = d.pop("message")

        status = ErrorStatus(d.pop("status"))




        count = d.pop("count")

        seqs = cast(list[int], d.pop("seqs"))


        def _parse_type_(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        type_ = _parse_type_(d.pop("type", UNSET))


        def _parse_resolution(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        resolution = _parse_resolution(d.pop("resolution", UNSET))


        def _parse_location(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        location = _parse_location(d.pop("location", UNSET))


        def _parse_resolved_in_version(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        resolved_in_version = _parse_resolved_in_version(d.pop("resolved_in_version", UNSET))


        error_entry = cls(
            message=message,
            status=status,
            count=count,
            seqs=seqs,
            type_=type_,
            resolution=resolution,
            location=location,
            resolved_in_version=resolved_in_version,
        )


        error_entry.additional_properties = d
        return error_entry

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
