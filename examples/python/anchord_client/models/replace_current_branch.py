from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ReplaceCurrentBranch")



@_attrs_define
class ReplaceCurrentBranch:
    """ Which branch becomes the current one.

        Attributes:
            name (str): The name of a branch, unique in its session.
            is_current (bool | None | Unset): As a GET returns it. Ignored.
     """

    name: str
    is_current: bool | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        name = self.name

        is_current: bool | None | Unset
        if isinstance(self.is_current, Unset):
            is_current = UNSET
        else:
            is_current = self.is_current


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "name": name,
        })
        if is_current is not UNSET:
            field_dict["is_current"] = is_current

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        def _parse_is_current(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        is_current = _parse_is_current(d.pop("is_current", UNSET))


        replace_current_branch = cls(
            name=name,
            is_current=is_current,
        )

        return replace_current_branch

