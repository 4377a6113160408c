from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.message_format import MessageFormat
from ..models.tokenizer import Tokenizer
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.message import Message





T = TypeVar("T", bound="TokenCountRequest")



@_attrs_define
class TokenCountRequest:
    """ Messages or a text to count.

        Attributes:
            messages (list[Message] | None | Unset): The messages to count, as their format writes them.
            text (None | str | Unset): The text to count.
            tokenizer (Tokenizer | Unset): A way to count tokens.
            format_ (MessageFormat | Unset): A conversation format, in and out.
     """

    messages: list[Message] | None | Unset = UNSET
    text: None | str | Unset = UNSET
    tokenizer: Tokenizer | Unset = UNSET
    format_: MessageFormat | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.message import Message # noqa: PLC0415
        messages: list[dict[str, Any]] | None | Unset
        if isinstance(self.messages, Unset):
            messages = UNSET
        elif isinstance(self.messages, list):
            messages = []
            for messages_type_0_item_data in self.messages:
                messages_type_0_item = messages_type_0_item_data.to_dict()
                messages.append(messages_type_0_item)


        else:
            messages = self.messages

        text: None | str | Unset
        if isinstance(self.text, Unset):
            text = UNSET
        else:
            text = self.text

        tokenizer: str | Unset = UNSET
        if not isinstance(self.tokenizer, Unset):
            tokenizer = self.tokenizer.value


        format_: str | Unset = UNSET
        if not isinstance(self.format_, Unset):
            format_ = self.format_.value



        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if messages is not UNSET:
            field_dict["messages"] = messages
        if text is not UNSET:
            field_dict["text"] = text
        if tokenizer is not UNSET:
            field_dict["tokenizer"] = tokenizer
        if format_ is not UNSET:
            field_dict["format"] = format_

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.message import Message # noqa: PLC0415
        d = dict(src_dict)
        def _parse_messages(data: object) -> list[Message] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                messages_type_0 = []
                _messages_type_0 = data
                for messages_type_0_item_data in (_messages_type_0):
                    messages_type_0_item = Message.from_dict(messages_type_0_item_data)



                    messages_type_0.append(messages_type_0_item)

                return messages_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Message] | None | Unset, data)

        messages = _parse_messages(d.pop("messages", UNSET))


        def _parse_text(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        text = _parse_text(d.pop("text", UNSET))


        _tokenizer = d.pop("tokenizer", UNSET)
        tokenizer: Tokenizer | Unset
        if isinstance(_tokenizer,  Unset):
            tokenizer = UNSET
        else:
            tokenizer = Tokenizer(_tokenizer)




        _format_ = d.pop("format", UNSET)
        format_: MessageFormat | Unset
        if isinstance(_format_,  Unset):
            format_ = UNSET
        else:
            format_ = MessageFormat(_format_)




        token_count_request = cls(
            messages=messages,
            text=text,
            tokenizer=tokenizer,
            format_=format_,
        )

        return token_count_request

