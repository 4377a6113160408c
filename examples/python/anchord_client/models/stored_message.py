from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.role import Role
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.message import Message





T = TypeVar("T", bound="StoredMessage")



@_attrs_define
class StoredMessage:
    """ A message as it was sent, with what the service knows of it.

        Attributes:
            seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            role (Role): The role of a message's author.
            tokens (int): Its tokens.
            created_at (datetime.datetime): When it was stored.
            message (Message): A message as its conversation format writes it. Every field is stored and comes back as it
                was sent.

                An open object without declared fields: generators of clients drop fields that they do not know of a type with
                declared
                ones, and send null for those that are absent.
     """

    seq: int
    role: Role
    tokens: int
    created_at: datetime.datetime
    message: Message
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.message import Message # noqa: PLC0415
        seq = self.seq

        role = self.role.value

        tokens = self.tokens

        created_at = self.created_at.isoformat()

        message = self.message.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "seq": seq,
            "role": role,
            "tokens": tokens,
            "created_at": created_at,
            "message": message,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.message import Message # noqa: PLC0415
        d = dict(src_dict)
        seq = d.pop("seq")

        role = Role(d.pop("role"))




        tokens = d.pop("tokens")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        message = Message.from_dict(d.pop("message"))




        stored_message = cls(
            seq=seq,
            role=role,
            tokens=tokens,
            created_at=created_at,
            message=message,
        )


        stored_message.additional_properties = d
        return stored_message

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
