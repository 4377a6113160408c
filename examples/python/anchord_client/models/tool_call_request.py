from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ToolCallRequest")



@_attrs_define
class ToolCallRequest:
    """ A call as the model made it.

        Attributes:
            arguments (Any | Unset): The arguments that the model gave, unchanged: an object, or its JSON text, as OpenAI's
                models give it. Absent, null
                and empty are no arguments. What is wrong with them is told to the model in the result.
            max_tokens (int | None | Unset): The most tokens of the result, as the session counts. Default: 2000.
     """

    arguments: Any | Unset = UNSET
    max_tokens: int | None | Unset = 2000





    def to_dict(self) -> dict[str, Any]:
        arguments = self.arguments

        max_tokens: int | None | Unset
        if isinstance(self.max_tokens, Unset):
            max_tokens = UNSET
        else:
            max_tokens = self.max_tokens


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if arguments is not UNSET:
            field_dict["arguments"] = arguments
        if max_tokens is not UNSET:
            field_dict["max_tokens"] = max_tokens

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        arguments = d.pop("arguments", UNSET)

        def _parse_max_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_tokens = _parse_max_tokens(d.pop("max_tokens", UNSET))


        tool_call_request = cls(
            arguments=arguments,
            max_tokens=max_tokens,
        )

        return tool_call_request

