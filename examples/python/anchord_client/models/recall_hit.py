from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.role import Role






T = TypeVar("T", bound="RecallHit")



@_attrs_define
class RecallHit:
    """ A message that matches.

        Attributes:
            seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            role (Role): The role of a message's author.
            snippet (str): The stretch of the message that matches best, at most 300 characters.
            score (float): How well it matches; comparable within one reply.
     """

    seq: int
    role: Role
    snippet: str
    score: float
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        seq = self.seq

        role = self.role.value

        snippet = self.snippet

        score = self.score


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "seq": seq,
            "role": role,
            "snippet": snippet,
            "score": score,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        seq = d.pop("seq")

        role = Role(d.pop("role"))




        snippet = d.pop("snippet")

        score = d.pop("score")

        recall_hit = cls(
            seq=seq,
            role=role,
            snippet=snippet,
            score=score,
        )


        recall_hit.additional_properties = d
        return recall_hit

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
