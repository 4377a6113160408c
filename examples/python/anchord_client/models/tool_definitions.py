from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.message_format import MessageFormat
from typing import cast

if TYPE_CHECKING:
  from ..models.tool_definitions_tools_item import ToolDefinitionsToolsItem





T = TypeVar("T", bound="ToolDefinitions")



@_attrs_define
class ToolDefinitions:
    """ The definitions of the service's tools.

        Attributes:
            format_ (MessageFormat): A conversation format, in and out.
            tools (list[ToolDefinitionsToolsItem]): One for each tool, as a request to the provider has them in its `tools`.
            names (list[str]): The names of the tools, in the same order: a call of one of them is for the service.
            tokens (int): About the tokens that they add to every call of the model; part of `system_tokens`.
     """

    format_: MessageFormat
    tools: list[ToolDefinitionsToolsItem]
    names: list[str]
    tokens: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.tool_definitions_tools_item import ToolDefinitionsToolsItem # noqa: PLC0415
        format_ = self.format_.value

        tools = []
        for tools_item_data in self.tools:
            tools_item = tools_item_data.to_dict()
            tools.append(tools_item)



        names = self.names



        tokens = self.tokens


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "format": format_,
            "tools": tools,
            "names": names,
            "tokens": tokens,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tool_definitions_tools_item import ToolDefinitionsToolsItem # noqa: PLC0415
        d = dict(src_dict)
        format_ = MessageFormat(d.pop("format"))




        tools = []
        _tools = d.pop("tools")
        for tools_item_data in (_tools):
            tools_item = ToolDefinitionsToolsItem.from_dict(tools_item_data)



            tools.append(tools_item)


        names = cast(list[str], d.pop("names"))


        tokens = d.pop("tokens")

        tool_definitions = cls(
            format_=format_,
            tools=tools,
            names=names,
            tokens=tokens,
        )


        tool_definitions.additional_properties = d
        return tool_definitions

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
