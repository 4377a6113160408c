from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.sync_outcome import SyncOutcome






T = TypeVar("T", bound="SyncState")



@_attrs_define
class SyncState:
    """ The result for a list.

        Attributes:
            branch (str): The name of a branch, unique in its session.
            outcome (SyncOutcome): The outcome of a sync.
            common (int): How many messages of the list it had already.
            appended (int): How many were stored now.
     """

    branch: str
    outcome: SyncOutcome
    common: int
    appended: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        branch = self.branch

        outcome = self.outcome.value

        common = self.common

        appended = self.appended


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "branch": branch,
            "outcome": outcome,
            "common": common,
            "appended": appended,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        branch = d.pop("branch")

        outcome = SyncOutcome(d.pop("outcome"))




        common = d.pop("common")

        appended = d.pop("appended")

        sync_state = cls(
            branch=branch,
            outcome=outcome,
            common=common,
            appended=appended,
        )


        sync_state.additional_properties = d
        return sync_state

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
