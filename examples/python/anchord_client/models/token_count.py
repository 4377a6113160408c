from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.message_format import MessageFormat
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="TokenCount")



@_attrs_define
class TokenCount:
    """ Token counts.

        Attributes:
            tokens (int): All tokens.
            format_ (MessageFormat | Unset): A conversation format, in and out.
            per_message (list[int] | None | Unset): The tokens of each message, in order; absent for a text.
     """

    tokens: int
    format_: MessageFormat | Unset = UNSET
    per_message: list[int] | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        tokens = self.tokens

        format_: str | Unset = UNSET
        if not isinstance(self.format_, Unset):
            format_ = self.format_.value


        per_message: list[int] | None | Unset
        if isinstance(self.per_message, Unset):
            per_message = UNSET
        elif isinstance(self.per_message, list):
            per_message = self.per_message


        else:
            per_message = self.per_message


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "tokens": tokens,
        })
        if format_ is not UNSET:
            field_dict["format"] = format_
        if per_message is not UNSET:
            field_dict["per_message"] = per_message

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        tokens = d.pop("tokens")

        _format_ = d.pop("format", UNSET)
        format_: MessageFormat | Unset
        if isinstance(_format_,  Unset):
            format_ = UNSET
        else:
            format_ = MessageFormat(_format_)




        def _parse_per_message(data: object) -> list[int] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                per_message_type_0 = cast(list[int], data)

                return per_message_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[int] | None | Unset, data)

        per_message = _parse_per_message(d.pop("per_message", UNSET))


        token_count = cls(
            tokens=tokens,
            format_=format_,
            per_message=per_message,
        )


        token_count.additional_properties = d
        return token_count

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
