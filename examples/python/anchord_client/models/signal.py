from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.signal_action import SignalAction
from ..models.signal_kind import SignalKind






T = TypeVar("T", bound="Signal")



@_attrs_define
class Signal:
    """ The result of one rule.

        Attributes:
            kind (SignalKind): The rule.
            action (SignalAction): The action that a signal requests, in order of severity.
            detail (str): The reason, with the figure.
            counts (bool): Whether the policy counts it.
     """

    kind: SignalKind
    action: SignalAction
    detail: str
    counts: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        kind = self.kind.value

        action = self.action.value

        detail = self.detail

        counts = self.counts


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "kind": kind,
            "action": action,
            "detail": detail,
            "counts": counts,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = SignalKind(d.pop("kind"))




        action = SignalAction(d.pop("action"))




        detail = d.pop("detail")

        counts = d.pop("counts")

        signal = cls(
            kind=kind,
            action=action,
            detail=detail,
            counts=counts,
        )


        signal.additional_properties = d
        return signal

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
