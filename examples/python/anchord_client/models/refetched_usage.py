from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="RefetchedUsage")



@_attrs_define
class RefetchedUsage:
    """ Figures of what was fetched again.

        Attributes:
            requests (int): Requests that gave back something that the context no longer shows.
            tokens (int): Tokens of it.
            messages_tokens (int): Tokens of original messages.
            tool_outputs_tokens (int): Tokens of tool outputs.
            recall_tokens (int): Tokens of recall.
     """

    requests: int
    tokens: int
    messages_tokens: int
    tool_outputs_tokens: int
    recall_tokens: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        requests = self.requests

        tokens = self.tokens

        messages_tokens = self.messages_tokens

        tool_outputs_tokens = self.tool_outputs_tokens

        recall_tokens = self.recall_tokens


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "requests": requests,
            "tokens": tokens,
            "messages_tokens": messages_tokens,
            "tool_outputs_tokens": tool_outputs_tokens,
            "recall_tokens": recall_tokens,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        requests = d.pop("requests")

        tokens = d.pop("tokens")

        messages_tokens = d.pop("messages_tokens")

        tool_outputs_tokens = d.pop("tool_outputs_tokens")

        recall_tokens = d.pop("recall_tokens")

        refetched_usage = cls(
            requests=requests,
            tokens=tokens,
            messages_tokens=messages_tokens,
            tool_outputs_tokens=tool_outputs_tokens,
            recall_tokens=recall_tokens,
        )


        refetched_usage.additional_properties = d
        return refetched_usage

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
