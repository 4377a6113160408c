from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="TruncateSession")



@_attrs_define
class TruncateSession:
    """ Where to go back to.

        Attributes:
            seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
     """

    seq: int





    def to_dict(self) -> dict[str, Any]:
        seq = self.seq


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "seq": seq,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        seq = d.pop("seq")

        truncate_session = cls(
            seq=seq,
        )

        return truncate_session

