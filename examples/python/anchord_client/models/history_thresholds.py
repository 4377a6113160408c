from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="HistoryThresholds")



@_attrs_define
class HistoryThresholds:
    """ The thresholds of the signals about history, with every default resolved.

        Attributes:
            savings (float): Share of the served tokens that a compression must save to be worth it.
            repeats (int): Repetitions among the last 12 messages or calls.
            rereads (int): Readings of the same among the last 20 calls.
            reread_share (float): Readings of the same as a share of all.
            verbosity (float): Length of the last messages, in medians of the session.
            growth (float): Share of the effective window within 5 minutes.
            cycles (int): Published versions.
     """

    savings: float
    repeats: int
    rereads: int
    reread_share: float
    verbosity: float
    growth: float
    cycles: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        savings = self.savings

        repeats = self.repeats

        rereads = self.rereads

        reread_share = self.reread_share

        verbosity = self.verbosity

        growth = self.growth

        cycles = self.cycles


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "savings": savings,
            "repeats": repeats,
            "rereads": rereads,
            "reread_share": reread_share,
            "verbosity": verbosity,
            "growth": growth,
            "cycles": cycles,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        savings = d.pop("savings")

        repeats = d.pop("repeats")

        rereads = d.pop("rereads")

        reread_share = d.pop("reread_share")

        verbosity = d.pop("verbosity")

        growth = d.pop("growth")

        cycles = d.pop("cycles")

        history_thresholds = cls(
            savings=savings,
            repeats=repeats,
            rereads=rereads,
            reread_share=reread_share,
            verbosity=verbosity,
            growth=growth,
            cycles=cycles,
        )


        history_thresholds.additional_properties = d
        return history_thresholds

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
