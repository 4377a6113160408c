from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="CompressedTokens")



@_attrs_define
class CompressedTokens:
    """ Results of compressions: the sums of their reports.

        Attributes:
            tokens_before (int): Tokens of record and digest before each, and of the messages that it covered.
            tokens_after (int): Tokens of the record and digest that it left.
            tokens_saved (int): The difference: what each context after it has fewer of.
     """

    tokens_before: int
    tokens_after: int
    tokens_saved: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        tokens_before = self.tokens_before

        tokens_after = self.tokens_after

        tokens_saved = self.tokens_saved


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "tokens_before": tokens_before,
            "tokens_after": tokens_after,
            "tokens_saved": tokens_saved,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        tokens_before = d.pop("tokens_before")

        tokens_after = d.pop("tokens_after")

        tokens_saved = d.pop("tokens_saved")

        compressed_tokens = cls(
            tokens_before=tokens_before,
            tokens_after=tokens_after,
            tokens_saved=tokens_saved,
        )


        compressed_tokens.additional_properties = d
        return compressed_tokens

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
