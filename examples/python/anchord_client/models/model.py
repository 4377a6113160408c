from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.model_origin import ModelOrigin
from ..models.tokenizer import Tokenizer
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Model")



@_attrs_define
class Model:
    """ A model that sessions can name.

        Attributes:
            names (list[str]): Its names. Those of a built-in model stand for their variants, too: with a provider prefix,
                or a date, size or tag
                suffix (`openai/gpt-4o`, `gpt-4o-2024-08-06`, `qwen3:8b`). Upper and lower case are the same, and so are `.`,
                `_`, `:` and
                `-`. A tenant's model has one name, which stands for itself, provider and `:latest` aside.
            context_window (int): The context window, in tokens of the model: prompt and answer.
            reserved_output_tokens (int): What sessions reserve for the answer when they do not say: the longest answer, at
                most a fifth of the window, and at
                least what a prompt may not take.
            tokenizer (Tokenizer): A way to count tokens.
            origin (ModelOrigin): Who says what a model takes.
            provider (None | str | Unset): Who made it; absent for a tenant's.
            max_input_tokens (int | None | Unset): The most tokens of a prompt, where its provider takes fewer than the
                window has.
            max_output_tokens (int | None | Unset): The most tokens of an answer, where it is known.
            source (None | str | Unset): Where the figures come from; absent for a tenant's.
            as_of (None | str | Unset): The day on which they were read there.
     """

    names: list[str]
    context_window: int
    reserved_output_tokens: int
    tokenizer: Tokenizer
    origin: ModelOrigin
    provider: None | str | Unset = UNSET
    max_input_tokens: int | None | Unset = UNSET
    max_output_tokens: int | None | Unset = UNSET
    source: None | str | Unset = UNSET
    as_of: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        names = self.names



        context_window = self.context_window

        reserved_output_tokens = self.reserved_output_tokens

        tokenizer = self.tokenizer.value

        origin = self.origin.value

        provider: None | str | Unset
        if isinstance(self.provider, Unset):
            provider = UNSET
        else:
            provider = self.provider

        max_input_tokens: int | None | Unset
        if isinstance(self.max_input_tokens, Unset):
            max_input_tokens = UNSET
        else:
            max_input_tokens = self.max_input_tokens

        max_output_tokens: int | None | Unset
        if isinstance(self.max_output_tokens, Unset):
            max_output_tokens = UNSET
        else:
            max_output_tokens = self.max_output_tokens

        source: None | str | Unset
        if isinstance(self.source, Unset):
            source = UNSET
        else:
            source = self.source

        as_of: None | str | Unset
        if isinstance(self.as_of, Unset):
            as_of = UNSET
        else:
            as_of = self.as_of


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "names": names,
            "context_window": context_window,
            "reserved_output_tokens": reserved_output_tokens,
            "tokenizer": tokenizer,
            "origin": origin,
        })
        if provider is not UNSET:
            field_dict["provider"] = provider
        if max_input_tokens is not UNSET:
            field_dict["max_input_tokens"] = max_input_tokens
        if max_output_tokens is not UNSET:
            field_dict["max_output_tokens"] = max_output_tokens
        if source is not UNSET:
            field_dict["source"] = source
        if as_of is not UNSET:
            field_dict["as_of"] = as_of

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        names = cast(list[str], d.pop("names"))


        context_window = d.pop("context_window")

        reserved_output_tokens = d.pop("reserved_output_tokens")

        tokenizer = Tokenizer(d.pop("tokenizer"))




        origin = ModelOrigin(d.pop("origin"))




        def _parse_provider(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        provider = _parse_provider(d.pop("provider", UNSET))


        def _parse_max_input_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_input_tokens = _parse_max_input_tokens(d.pop("max_input_tokens", UNSET))


        def _parse_max_output_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        max_output_tokens = _parse_max_output_tokens(d.pop("max_output_tokens", UNSET))


        def _parse_source(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        source = _parse_source(d.pop("source", UNSET))


        def _parse_as_of(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        as_of = _parse_as_of(d.pop("as_of", UNSET))


        model = cls(
            names=names,
            context_window=context_window,
            reserved_output_tokens=reserved_output_tokens,
            tokenizer=tokenizer,
            origin=origin,
            provider=provider,
            max_input_tokens=max_input_tokens,
            max_output_tokens=max_output_tokens,
            source=source,
            as_of=as_of,
        )


        model.additional_properties = d
        return model

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
