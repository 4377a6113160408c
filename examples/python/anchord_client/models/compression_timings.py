from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset






T = TypeVar("T", bound="CompressionTimings")



@_attrs_define
class CompressionTimings:
    """ The durations of the steps, in milliseconds.

        Attributes:
            queued_ms (int | Unset): From the request to the claim. Default: 0.
            ledger_ms (int | Unset): Reading the ledger. Default: 0.
            engine_ms (int | Unset): The engine's proposal and the merge. Default: 0.
            probe_ms (int | Unset): Probes, rendering and repair. Default: 0.
            total_ms (int | Unset): From the claim to the end. Default: 0.
     """

    queued_ms: int | Unset = 0
    ledger_ms: int | Unset = 0
    engine_ms: int | Unset = 0
    probe_ms: int | Unset = 0
    total_ms: int | Unset = 0
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        queued_ms = self.queued_ms

        ledger_ms = self.ledger_ms

        engine_ms = self.engine_ms

        probe_ms = self.probe_ms

        total_ms = self.total_ms


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if queued_ms is not UNSET:
            field_dict["queued_ms"] = queued_ms
        if ledger_ms is not UNSET:
            field_dict["ledger_ms"] = ledger_ms
        if engine_ms is not UNSET:
            field_dict["engine_ms"] = engine_ms
        if probe_ms is not UNSET:
            field_dict["probe_ms"] = probe_ms
        if total_ms is not UNSET:
            field_dict["total_ms"] = total_ms

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        queued_ms = d.pop("queued_ms", UNSET)

        ledger_ms = d.pop("ledger_ms", UNSET)

        engine_ms = d.pop("engine_ms", UNSET)

        probe_ms = d.pop("probe_ms", UNSET)

        total_ms = d.pop("total_ms", UNSET)

        compression_timings = cls(
            queued_ms=queued_ms,
            ledger_ms=ledger_ms,
            engine_ms=engine_ms,
            probe_ms=probe_ms,
            total_ms=total_ms,
        )


        compression_timings.additional_properties = d
        return compression_timings

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
