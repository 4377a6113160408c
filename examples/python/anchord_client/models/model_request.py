from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.tokenizer import Tokenizer
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ModelRequest")



@_attrs_define
class ModelRequest:
    """ A model of the tenant's.

        Attributes:
            context_window (int): The context window, in tokens of the model: prompt and answer.
            max_output_tokens (int | None | Unset): The most tokens of an answer.
            tokenizer (Tokenizer | Unset): A way to count tokens.
     """

    context_window: int
    max_output_tokens: int | None | Unset = UNSET
    tokenizer: Tokenizer | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        context_window = self.context_window

        max_output_tokens: int | None | Unset
        if isinstance(self.max_output_tokens, Unset):
            max_output_tokens = UNSET
        else:
            max_output_tokens = self.max_output_tokens

        tokenizer: str | Unset = UNSET
        if not isinstance(self.tokenizer, Unset):
            tokenizer = self.tokenizer.value



        field_dict: dict[str, Any] = {}

        field_dict.update({
            "context_window": context_window,
        })
        if max_output_tokens is not UNSET:
            field_dict["max_output_tokens"] = max_output_tokens
        if tokenizer is not UNSET:
            field_dict["tokenizer"] = tokenizer

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        context_window = d.pop("context_window")

        def _parse_max_output_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_output_tokens = _parse_max_output_tokens(d.pop("max_output_tokens", UNSET))


        _tokenizer = d.pop("tokenizer", UNSET)
        tokenizer: Tokenizer | Unset
        if isinstance(_tokenizer,  Unset):
            tokenizer = UNSET
        else:
            tokenizer = Tokenizer(_tokenizer)




        model_request = cls(
            context_window=context_window,
            max_output_tokens=max_output_tokens,
            tokenizer=tokenizer,
        )

        return model_request

