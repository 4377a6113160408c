from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="StablePrefix")



@_attrs_define
class StablePrefix:
    """ The part of a context that stays the same until the next version or revision.

        Attributes:
            messages (int): Messages at the start that are wholly in it.
            tokens (int): Its tokens.
            sha256 (str): SHA-256 in hex over the text of `system`, each message's JSON text, the text of summary, digest
                and notes, each with
                a newline after it; `cache_control` does not change it.
     """

    messages: int
    tokens: int
    sha256: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        messages = self.messages

        tokens = self.tokens

        sha256 = self.sha256


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "messages": messages,
            "tokens": tokens,
            "sha256": sha256,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        messages = d.pop("messages")

        tokens = d.pop("tokens")

        sha256 = d.pop("sha256")

        stable_prefix = cls(
            messages=messages,
            tokens=tokens,
            sha256=sha256,
        )


        stable_prefix.additional_properties = d
        return stable_prefix

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
