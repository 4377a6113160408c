from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="ReportedUsage")



@_attrs_define
class ReportedUsage:
    """ The provider's figures, as callers reported them.

        Attributes:
            reports (int): Reports.
            input_tokens (int): Tokens in, cached ones included.
            output_tokens (int): Tokens out.
            cached_tokens (int): The part of the tokens in that came from the provider's cache.
     """

    reports: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        reports = self.reports

        input_tokens = self.input_tokens

        output_tokens = self.output_tokens

        cached_tokens = self.cached_tokens


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "reports": reports,
            "input_tokens": input_tokens,
            "output_tokens": output_tokens,
            "cached_tokens": cached_tokens,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        reports = d.pop("reports")

        input_tokens = d.pop("input_tokens")

        output_tokens = d.pop("output_tokens")

        cached_tokens = d.pop("cached_tokens")

        reported_usage = cls(
            reports=reports,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cached_tokens=cached_tokens,
        )


        reported_usage.additional_properties = d
        return reported_usage

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
