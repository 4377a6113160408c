from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="EntityProperty")



@_attrs_define
class EntityProperty:
    """ One property of a thing.

        Attributes:
            value (str): Its latest known value, verbatim; `…` marks where it was cut.
            name (str | Unset): Its name; empty when unknown.
            was (None | str | Unset): The value before, when it changed.
     """

    value: str
    name: str | Unset = UNSET
    was: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        value = self.value

        name = self.name

        was: None | str | Unset
        if isinstance(self.was, Unset):
            was = UNSET
        else:
            was = self.was


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "value": value,
        })
        if name is not UNSET:
            field_dict["name"] = name
        if was is not UNSET:
            field_dict["was"] = was

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        value = d.pop("value")

        name = d.pop("name", UNSET)

        def _parse_was(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        was = _parse_was(d.pop("was", UNSET))


        entity_property = cls(
            value=value,
            name=name,
            was=was,
        )


        entity_property.additional_properties = d
        return entity_property

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
