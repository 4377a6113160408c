from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="Calibration")



@_attrs_define
class Calibration:
    """ The correction in force.

        Attributes:
            offset_tokens (int): Tokens of each call that the provider counts and the service does not see: a system prompt
                that the caller keeps,
                tool definitions. 0 until three reports about contexts of at least 4,000 tokens were taken; at most half of such
                a context.
            factor (float): The provider's tokens for each token that the service counts. 1 until five reports about
                contexts of
                different sizes were taken.
            reports (int): Reports whose verdict was `used`.
     """

    offset_tokens: int
    factor: float
    reports: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        offset_tokens = self.offset_tokens

        factor = self.factor

        reports = self.reports


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "offset_tokens": offset_tokens,
            "factor": factor,
            "reports": reports,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        offset_tokens = d.pop("offset_tokens")

        factor = d.pop("factor")

        reports = d.pop("reports")

        calibration = cls(
            offset_tokens=offset_tokens,
            factor=factor,
            reports=reports,
        )


        calibration.additional_properties = d
        return calibration

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
