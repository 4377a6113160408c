from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Decision")



@_attrs_define
class Decision:
    """ A choice that was made.

        Attributes:
            decision (str): The decision.
            rationale (str): Why; empty when the source states no reason.
            alternatives (list[str]): The alternatives that were not chosen.
            seqs (list[int]): The messages that it came from.
            superseded_by (None | str | Unset): The decision that reversed this one.
     """

    decision: str
    rationale: str
    alternatives: list[str]
    seqs: list[int]
    superseded_by: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        decision = self.decision

        rationale = self.rationale

        alternatives = self.alternatives



        seqs = self.seqs



        superseded_by: None | str | Unset
        if isinstance(self.superseded_by, Unset):
            superseded_by = UNSET
        else:
            superseded_by = self.superseded_by


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "decision": decision,
            "rationale": rationale,
            "alternatives": alternatives,
            "seqs": seqs,
        })
        if superseded_by is not UNSET:
            field_dict["superseded_by"] = superseded_by

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        decision = d.pop("decision")

        rationale = d.pop("rationale")

        alternatives = cast(list[str], d.pop("alternatives"))


        seqs = cast(list[int], d.pop("seqs"))


        def _parse_superseded_by(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        superseded_by = _parse_superseded_by(d.pop("superseded_by", UNSET))


        decision = cls(
            decision=decision,
            rationale=rationale,
            alternatives=alternatives,
            seqs=seqs,
            superseded_by=superseded_by,
        )


        decision.additional_properties = d
        return decision

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
