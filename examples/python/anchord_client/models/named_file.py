from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="NamedFile")



@_attrs_define
class NamedFile:
    """ An agent's output.

        Attributes:
            name (str): The file's name, or its path below the folder of outputs: no `..`, no leading `/`, no `\\`.
            content (str): Its Markdown.
     """

    name: str
    content: str





    def to_dict(self) -> dict[str, Any]:
        name = self.name

        content = self.content


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "name": name,
            "content": content,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        content = d.pop("content")

        named_file = cls(
            name=name,
            content=content,
        )

        return named_file

