from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="ModelCost")



@_attrs_define
class ModelCost:
    """ Tokens and calls that the engine's LLM used.

        Attributes:
            input_tokens (int | Unset): Tokens in, cached ones included. Default: 0.
            cached_tokens (int | Unset): The part of the tokens in that the server read from its cache. Default: 0.
            output_tokens (int | Unset): Tokens out. Default: 0.
            calls (int | Unset): Calls, failed ones included. Default: 0.
            failed_calls (int | Unset): Calls that failed. Default: 0.
            latency_ms (int | Unset): The total duration of the calls, in milliseconds. Default: 0.
            micros (int | Unset): Their cost, in millionths of the currency of the operator's prices; 0 without prices.
                Default: 0.
     """

    input_tokens: int | Unset = 0
    cached_tokens: int | Unset = 0
    output_tokens: int | Unset = 0
    calls: int | Unset = 0
    failed_calls: int | Unset = 0
    latency_ms: int | Unset = 0
    micros: int | Unset = 0
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        input_tokens = self.input_tokens

        cached_tokens = self.cached_tokens

        output_tokens = self.output_tokens

        calls = self.calls

        failed_calls = self.failed_calls

        latency_ms = self.latency_ms

        micros = self.micros


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if input_tokens is not UNSET:
            field_dict["input_tokens"] = input_tokens
        if cached_tokens is not UNSET:
            field_dict["cached_tokens"] = cached_tokens
        if output_tokens is not UNSET:
            field_dict["output_tokens"] = output_tokens
        if calls is not UNSET:
            field_dict["calls"] = calls
        if failed_calls is not UNSET:
            field_dict["failed_calls"] = failed_calls
        if latency_ms is not UNSET:
            field_dict["latency_ms"] = latency_ms
        if micros is not UNSET:
            field_dict["micros"] = micros

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        input_tokens = d.pop("input_tokens", UNSET)

        cached_tokens = d.pop("cached_tokens", UNSET)

        output_tokens = d.pop("output_tokens", UNSET)

        calls = d.pop("calls", UNSET)

        failed_calls = d.pop("failed_calls", UNSET)

        latency_ms = d.pop("latency_ms", UNSET)

        micros = d.pop("micros", UNSET)

        model_cost = cls(
            input_tokens=input_tokens,
            cached_tokens=cached_tokens,
            output_tokens=output_tokens,
            calls=calls,
            failed_calls=failed_calls,
            latency_ms=latency_ms,
            micros=micros,
        )


        model_cost.additional_properties = d
        return model_cost

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
