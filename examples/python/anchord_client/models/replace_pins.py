from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.pin import Pin
  from ..models.pin_input import PinInput





T = TypeVar("T", bound="ReplacePins")



@_attrs_define
class ReplacePins:
    """ The pins that replace the ones there are. The reply of a GET can be sent back.

        Attributes:
            pins (list[PinInput]): The pins, in the order in which contexts show them. A text that comes twice counts once.
            tenant_pins (list[Pin] | None | Unset): The tenant's pins, as a GET returns them. Ignored: `PUT /v1/pins` sets
                them.
     """

    pins: list[PinInput]
    tenant_pins: list[Pin] | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.pin import Pin # noqa: PLC0415
        from ..models.pin_input import PinInput # noqa: PLC0415
        pins = []
        for pins_item_data in self.pins:
            pins_item = pins_item_data.to_dict()
            pins.append(pins_item)



        tenant_pins: list[dict[str, Any]] | None | Unset
        if isinstance(self.tenant_pins, Unset):
            tenant_pins = UNSET
        elif isinstance(self.tenant_pins, list):
            tenant_pins = []
            for tenant_pins_type_0_item_data in self.tenant_pins:
                tenant_pins_type_0_item = tenant_pins_type_0_item_data.to_dict()
                tenant_pins.append(tenant_pins_type_0_item)


        else:
            tenant_pins = self.tenant_pins


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "pins": pins,
        })
        if tenant_pins is not UNSET:
            field_dict["tenant_pins"] = tenant_pins

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.pin import Pin # noqa: PLC0415
        from ..models.pin_input import PinInput # noqa: PLC0415
        d = dict(src_dict)
        pins = []
        _pins = d.pop("pins")
        for pins_item_data in (_pins):
            pins_item = PinInput.from_dict(pins_item_data)



            pins.append(pins_item)


        def _parse_tenant_pins(data: object) -> list[Pin] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                tenant_pins_type_0 = []
                _tenant_pins_type_0 = data
                for tenant_pins_type_0_item_data in (_tenant_pins_type_0):
                    tenant_pins_type_0_item = Pin.from_dict(tenant_pins_type_0_item_data)



                    tenant_pins_type_0.append(tenant_pins_type_0_item)

                return tenant_pins_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Pin] | None | Unset, data)

        tenant_pins = _parse_tenant_pins(d.pop("tenant_pins", UNSET))


        replace_pins = cls(
            pins=pins,
            tenant_pins=tenant_pins,
        )

        return replace_pins

