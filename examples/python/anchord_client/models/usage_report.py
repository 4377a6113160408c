from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="UsageReport")



@_attrs_define
class UsageReport:
    """ The provider's own figures of the last call.

        Attributes:
            input_tokens (int): Tokens in, cached ones included. A provider that reports them apart: the sum.
            output_tokens (int): Tokens out.
            cached_tokens (int | None | Unset): The part of the tokens in that came from the provider's cache.
            model (None | str | Unset): The model, for the caller's records: it comes back in the reply.
            context_tokens (int | None | Unset): `tokens.total` of the context that was sent; default that of the context
                served last.
     """

    input_tokens: int
    output_tokens: int
    cached_tokens: int | None | Unset = UNSET
    model: None | str | Unset = UNSET
    context_tokens: int | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        input_tokens = self.input_tokens

        output_tokens = self.output_tokens

        cached_tokens: int | None | Unset
        if isinstance(self.cached_tokens, Unset):
            cached_tokens = UNSET
        else:
            cached_tokens = self.cached_tokens

        model: None | str | Unset
        if isinstance(self.model, Unset):
            model = UNSET
        else:
            model = self.model

        context_tokens: int | None | Unset
        if isinstance(self.context_tokens, Unset):
            context_tokens = UNSET
        else:
            context_tokens = self.context_tokens


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "input_tokens": input_tokens,
            "output_tokens": output_tokens,
        })
        if cached_tokens is not UNSET:
            field_dict["cached_tokens"] = cached_tokens
        if model is not UNSET:
            field_dict["model"] = model
        if context_tokens is not UNSET:
            field_dict["context_tokens"] = context_tokens

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        input_tokens = d.pop("input_tokens")

        output_tokens = d.pop("output_tokens")

        def _parse_cached_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        cached_tokens = _parse_cached_tokens(d.pop("cached_tokens", UNSET))


        def _parse_model(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        model = _parse_model(d.pop("model", UNSET))


        def _parse_context_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        context_tokens = _parse_context_tokens(d.pop("context_tokens", UNSET))


        usage_report = cls(
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cached_tokens=cached_tokens,
            model=model,
            context_tokens=context_tokens,
        )

        return usage_report

