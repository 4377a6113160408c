from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.component_remedy import ComponentRemedy
from ..models.context_component import ContextComponent






T = TypeVar("T", bound="ComponentAdvice")



@_attrs_define
class ComponentAdvice:
    """ Advice about a dominant component. Nothing acts on it: only declared signals start work.

        Attributes:
            component (ContextComponent): A component that there is something to do about.
            share (float): Its share, from 0 to 1.
            action (ComponentRemedy): The remedy against a dominant component.
            detail (str): The advice as a sentence.
     """

    component: ContextComponent
    share: float
    action: ComponentRemedy
    detail: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        component = self.component.value

        share = self.share

        action = self.action.value

        detail = self.detail


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "component": component,
            "share": share,
            "action": action,
            "detail": detail,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        component = ContextComponent(d.pop("component"))




        share = d.pop("share")

        action = ComponentRemedy(d.pop("action"))




        detail = d.pop("detail")

        component_advice = cls(
            component=component,
            share=share,
            action=action,
            detail=detail,
        )


        component_advice.additional_properties = d
        return component_advice

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
