from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.todo_status import TodoStatus






T = TypeVar("T", bound="TodoInput")



@_attrs_define
class TodoInput:
    """ One item of a list.

        Attributes:
            content (str): The task.
            status (TodoStatus): How far a todo item is.
     """

    content: str
    status: TodoStatus





    def to_dict(self) -> dict[str, Any]:
        content = self.content

        status = self.status.value


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "content": content,
            "status": status,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        content = d.pop("content")

        status = TodoStatus(d.pop("status"))




        todo_input = cls(
            content=content,
            status=status,
        )

        return todo_input

