from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.pin import Pin





T = TypeVar("T", bound="TenantPins")



@_attrs_define
class TenantPins:
    """ The tenant's pins, in the order in which contexts show them.

        Attributes:
            pins (list[Pin]): The pins.
     """

    pins: list[Pin]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.pin import Pin # noqa: PLC0415
        pins = []
        for pins_item_data in self.pins:
            pins_item = pins_item_data.to_dict()
            pins.append(pins_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "pins": pins,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.pin import Pin # noqa: PLC0415
        d = dict(src_dict)
        pins = []
        _pins = d.pop("pins")
        for pins_item_data in (_pins):
            pins_item = Pin.from_dict(pins_item_data)



            pins.append(pins_item)


        tenant_pins = cls(
            pins=pins,
        )


        tenant_pins.additional_properties = d
        return tenant_pins

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
