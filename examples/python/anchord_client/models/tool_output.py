from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="ToolOutput")



@_attrs_define
class ToolOutput:
    """ A tool output, in full or a range of its lines.

        Attributes:
            ref (str): Its reference.
            seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            call_id (str): The call that it answers.
            lines (int): The number of lines of the whole output.
            from_line (int): The first line that was read; 0 when none was.
            to_line (int): The last line that was read; 0 when none was.
            content (str): The text of these lines.
     """

    ref: str
    seq: int
    call_id: str
    lines: int
    from_line: int
    to_line: int
    content: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        ref = self.ref

        seq = self.seq

        call_id = self.call_id

        lines = self.lines

        from_line = self.from_line

        to_line = self.to_line

        content = self.content


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "ref": ref,
            "seq": seq,
            "call_id": call_id,
            "lines": lines,
            "from_line": from_line,
            "to_line": to_line,
            "content": content,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        ref = d.pop("ref")

        seq = d.pop("seq")

        call_id = d.pop("call_id")

        lines = d.pop("lines")

        from_line = d.pop("from_line")

        to_line = d.pop("to_line")

        content = d.pop("content")

        tool_output = cls(
            ref=ref,
            seq=seq,
            call_id=call_id,
            lines=lines,
            from_line=from_line,
            to_line=to_line,
            content=content,
        )


        tool_output.additional_properties = d
        return tool_output

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
