from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.error_fact_kind import ErrorFactKind
from ..models.error_status import ErrorStatus
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ErrorFact")



@_attrs_define
class ErrorFact:
    """ An error that occurred.

        Attributes:
            message (str): Its first useful line.
            status (ErrorStatus): Whether an error is resolved.
            count (int): How many times it occurred.
            seqs (list[int]): The messages that show it.
            kind (ErrorFactKind):
            type_ (None | str | Unset): Its kind (`TypeError`, `E0308` …), when it has one.
            resolution (None | str | Unset): How it was resolved.
            location (None | str | Unset): Where it occurred.
     """

    message: str
    status: ErrorStatus
    count: int
    seqs: list[int]
    kind: ErrorFactKind
    type_: None | str | Unset = UNSET
    resolution: None | str | Unset = UNSET
    location: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        message = self.message

        status = self.status.value

        count = self.count

        seqs = self.seqs



        kind = self.kind.value

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


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "message": message,
            "status": status,
            "count": count,
            "seqs": seqs,
            "kind": kind,
        })
        if type_ is not UNSET:
            field_dict["type"] = type_
        if resolution is not UNSET:
            field_dict["resolution"] = resolution
        if location is not UNSET:
            field_dict["location"] = location

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        message = d.pop("message")

        status = ErrorStatus(d.pop("status"))




        count = d.pop("count")

        seqs = cast(list[int], d.pop("seqs"))


        kind = ErrorFactKind(d.pop("kind"))




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


        error_fact = cls(
            message=message,
            status=status,
            count=count,
            seqs=seqs,
            kind=kind,
            type_=type_,
            resolution=resolution,
            location=location,
        )


        error_fact.additional_properties = d
        return error_fact

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
