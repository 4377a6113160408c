from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="CreateBranch")



@_attrs_define
class CreateBranch:
    """ Where to fork, and how the new branch is called.

        Attributes:
            name (None | str | Unset): The new branch's name. Default: a generated one.
            seq (int | None | Unset): The last message that it shares; 0 shares none. Default: the newest.
            from_ (None | str | Unset): The branch to fork. Default: the current one.
            switch (bool | Unset): Whether the new branch becomes the current one. Default false. Default: False.
     """

    name: None | str | Unset = UNSET
    seq: int | None | Unset = UNSET
    from_: None | str | Unset = UNSET
    switch: bool | Unset = False





    def to_dict(self) -> dict[str, Any]:
        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        seq: int | None | Unset
        if isinstance(self.seq, Unset):
            seq = UNSET
        else:
            seq = self.seq

        from_: None | str | Unset
        if isinstance(self.from_, Unset):
            from_ = UNSET
        else:
            from_ = self.from_

        switch = self.switch


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if name is not UNSET:
            field_dict["name"] = name
        if seq is not UNSET:
            field_dict["seq"] = seq
        if from_ is not UNSET:
            field_dict["from"] = from_
        if switch is not UNSET:
            field_dict["switch"] = switch

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))


        def _parse_seq(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        seq = _parse_seq(d.pop("seq", UNSET))


        def _parse_from_(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        from_ = _parse_from_(d.pop("from", UNSET))


        switch = d.pop("switch", UNSET)

        create_branch = cls(
            name=name,
            seq=seq,
            from_=from_,
            switch=switch,
        )

        return create_branch

