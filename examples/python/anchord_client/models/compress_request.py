from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.engine_choice import EngineChoice
from ..models.message_format import MessageFormat
from ..models.strategy import Strategy
from ..models.tokenizer import Tokenizer
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.message import Message





T = TypeVar("T", bound="CompressRequest")



@_attrs_define
class CompressRequest:
    """ Messages to compress.

        Attributes:
            messages (list[Message]): The messages, as their format writes them.
            format_ (MessageFormat | Unset): A conversation format, in and out.
            target_tokens (int | None | Unset): The most tokens of what comes back, the system prompt included; no bound
                without it.
            keep (list[int] | Unset): Messages that come back in full although the summary covers them, by their places from
                0. With `target_tokens` they may
                take a tenth of it.
            strategy (Strategy | Unset): What a compression reads and what it makes of it.
            engine (EngineChoice | Unset): The engine that a session requests.
            summary_model (None | str | Unset): The model that writes the summary, with `engine` `llm`. Without effect for
                other engines.
            tokenizer (Tokenizer | Unset): A way to count tokens.
     """

    messages: list[Message]
    format_: MessageFormat | Unset = UNSET
    target_tokens: int | None | Unset = UNSET
    keep: list[int] | Unset = UNSET
    strategy: Strategy | Unset = UNSET
    engine: EngineChoice | Unset = UNSET
    summary_model: None | str | Unset = UNSET
    tokenizer: Tokenizer | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.message import Message # noqa: PLC0415
        messages = []
        for messages_item_data in self.messages:
            messages_item = messages_item_data.to_dict()
            messages.append(messages_item)



        format_: str | Unset = UNSET
        if not isinstance(self.format_, Unset):
            format_ = self.format_.value


        target_tokens: int | None | Unset
        if isinstance(self.target_tokens, Unset):
            target_tokens = UNSET
        else:
            target_tokens = self.target_tokens

        keep: list[int] | Unset = UNSET
        if not isinstance(self.keep, Unset):
            keep = self.keep



        strategy: str | Unset = UNSET
        if not isinstance(self.strategy, Unset):
            strategy = self.strategy.value


        engine: str | Unset = UNSET
        if not isinstance(self.engine, Unset):
            engine = self.engine.value


        summary_model: None | str | Unset
        if isinstance(self.summary_model, Unset):
            summary_model = UNSET
        else:
            summary_model = self.summary_model

        tokenizer: str | Unset = UNSET
        if not isinstance(self.tokenizer, Unset):
            tokenizer = self.tokenizer.value



        field_dict: dict[str, Any] = {}

        field_dict.update({
            "messages": messages,
        })
        if format_ is not UNSET:
            field_dict["format"] = format_
        if target_tokens is not UNSET:
            field_dict["target_tokens"] = target_tokens
        if keep is not UNSET:
            field_dict["keep"] = keep
        if strategy is not UNSET:
            field_dict["strategy"] = strategy
        if engine is not UNSET:
            field_dict["engine"] = engine
        if summary_model is not UNSET:
            field_dict["summary_model"] = summary_model
        if tokenizer is not UNSET:
            field_dict["tokenizer"] = tokenizer

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.message import Message # noqa: PLC0415
        d = dict(src_dict)
        messages = []
        _messages = d.pop("messages")
        for messages_item_data in (_messages):
            messages_item = Message.from_dict(messages_item_data)



            messages.append(messages_item)


        _format_ = d.pop("format", UNSET)
        format_: MessageFormat | Unset
        if isinstance(_format_,  Unset):
            format_ = UNSET
        else:
            format_ = MessageFormat(_format_)




        def _parse_target_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        target_tokens = _parse_target_tokens(d.pop("target_tokens", UNSET))


        keep = cast(list[int], d.pop("keep", UNSET))


        _strategy = d.pop("strategy", UNSET)
        strategy: Strategy | Unset
        if isinstance(_strategy,  Unset):
            strategy = UNSET
        else:
            strategy = Strategy(_strategy)




        _engine = d.pop("engine", UNSET)
        engine: EngineChoice | Unset
        if isinstance(_engine,  Unset):
            engine = UNSET
        else:
            engine = EngineChoice(_engine)




        def _parse_summary_model(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        summary_model = _parse_summary_model(d.pop("summary_model", UNSET))


        _tokenizer = d.pop("tokenizer", UNSET)
        tokenizer: Tokenizer | Unset
        if isinstance(_tokenizer,  Unset):
            tokenizer = UNSET
        else:
            tokenizer = Tokenizer(_tokenizer)




        compress_request = cls(
            messages=messages,
            format_=format_,
            target_tokens=target_tokens,
            keep=keep,
            strategy=strategy,
            engine=engine,
            summary_model=summary_model,
            tokenizer=tokenizer,
        )

        return compress_request

