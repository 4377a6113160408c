from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime






T = TypeVar("T", bound="Branch")



@_attrs_define
class Branch:
    """ A branch of a session.

        Attributes:
            name (str): The name of a branch, unique in its session.
            from_ (None | str): The branch that owns the last message that it shares; null for `main`, and when that branch
                is erased.
            seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            head_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            messages (int): The position of a message in its session: 1, 2, 3 … without gaps.
            version (int | None): Its current summary version; null when there is none.
            is_current (bool): Whether operations act on it that name no branch.
            created_at (datetime.datetime): When it was made.
            updated_at (datetime.datetime): When it was last written to.
     """

    name: str
    from_: None | str
    seq: int
    head_seq: int
    messages: int
    version: int | None
    is_current: bool
    created_at: datetime.datetime
    updated_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        name = self.name

        from_: None | str
        from_ = self.from_

        seq = self.seq

        head_seq = self.head_seq

        messages = self.messages

        version: int | None
        version = self.version

        is_current = self.is_current

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "name": name,
            "from": from_,
            "seq": seq,
            "head_seq": head_seq,
            "messages": messages,
            "version": version,
            "is_current": is_current,
            "created_at": created_at,
            "updated_at": updated_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        def _parse_from_(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        from_ = _parse_from_(d.pop("from"))


        seq = d.pop("seq")

        head_seq = d.pop("head_seq")

        messages = d.pop("messages")

        def _parse_version(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        version = _parse_version(d.pop("version"))


        is_current = d.pop("is_current")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))




        branch = cls(
            name=name,
            from_=from_,
            seq=seq,
            head_seq=head_seq,
            messages=messages,
            version=version,
            is_current=is_current,
            created_at=created_at,
            updated_at=updated_at,
        )


        branch.additional_properties = d
        return branch

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
