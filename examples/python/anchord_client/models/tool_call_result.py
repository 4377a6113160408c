from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.tool_call_result_next_type_0 import ToolCallResultNextType0





T = TypeVar("T", bound="ToolCallResult")



@_attrs_define
class ToolCallResult:
    """ A tool's result.

        Attributes:
            content (str): The text for the model: a line of the service's, then what was read, as data.
            is_error (bool): Whether the model has to call otherwise; `content` says how.
            tokens (int): The tokens of `content`.
            next_ (None | ToolCallResultNextType0): The arguments of the call that reads on; null at the end.
     """

    content: str
    is_error: bool
    tokens: int
    next_: None | ToolCallResultNextType0
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.tool_call_result_next_type_0 import ToolCallResultNextType0 # noqa: PLC0415
        content = self.content

        is_error = self.is_error

        tokens = self.tokens

        next_: dict[str, Any] | None
        if isinstance(self.next_, ToolCallResultNextType0):
            next_ = self.next_.to_dict()
        else:
            next_ = self.next_


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "content": content,
            "is_error": is_error,
            "tokens": tokens,
            "next": next_,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tool_call_result_next_type_0 import ToolCallResultNextType0 # noqa: PLC0415
        d = dict(src_dict)
        content = d.pop("content")

        is_error = d.pop("is_error")

        tokens = d.pop("tokens")

        def _parse_next_(data: object) -> None | ToolCallResultNextType0:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                next_type_0 = ToolCallResultNextType0.from_dict(data)



                return next_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | ToolCallResultNextType0, data)

        next_ = _parse_next_(d.pop("next"))


        tool_call_result = cls(
            content=content,
            is_error=is_error,
            tokens=tokens,
            next_=next_,
        )


        tool_call_result.additional_properties = d
        return tool_call_result

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
