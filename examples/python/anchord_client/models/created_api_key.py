from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="CreatedApiKey")



@_attrs_define
class CreatedApiKey:
    """ A key that was just made; this is the only reply that shows it.

        Attributes:
            id (str): An id that starts with `key_`.
            name (None | str): Its name for people.
            prefix (str): The first characters of the key, by which keys can be told apart.
            key (None | str): The key. It is stored as a digest alone, so it cannot be shown again: null in the reply to a
                repeated request with
                the same `Idempotency-Key`. Revoke a key that was lost, and make another one.
            scopes (list[str]): Its scopes: `read`, `write`, `admin`.
            created_at (datetime.datetime): When it was created.
            expires_at (datetime.datetime | None): When it ends; null for never.
            replaced_ends_at (datetime.datetime | None | Unset): When the key that it replaces ends; only of a rotation.
     """

    id: str
    name: None | str
    prefix: str
    key: None | str
    scopes: list[str]
    created_at: datetime.datetime
    expires_at: datetime.datetime | None
    replaced_ends_at: datetime.datetime | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        name: None | str
        name = self.name

        prefix = self.prefix

        key: None | str
        key = self.key

        scopes = self.scopes



        created_at = self.created_at.isoformat()

        expires_at: None | str
        if isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        replaced_ends_at: None | str | Unset
        if isinstance(self.replaced_ends_at, Unset):
            replaced_ends_at = UNSET
        elif isinstance(self.replaced_ends_at, datetime.datetime):
            replaced_ends_at = self.replaced_ends_at.isoformat()
        else:
            replaced_ends_at = self.replaced_ends_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "name": name,
            "prefix": prefix,
            "key": key,
            "scopes": scopes,
            "created_at": created_at,
            "expires_at": expires_at,
        })
        if replaced_ends_at is not UNSET:
            field_dict["replaced_ends_at"] = replaced_ends_at

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        def _parse_name(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        name = _parse_name(d.pop("name"))


        prefix = d.pop("prefix")

        def _parse_key(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        key = _parse_key(d.pop("key"))


        scopes = cast(list[str], d.pop("scopes"))


        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        def _parse_expires_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)



                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        expires_at = _parse_expires_at(d.pop("expires_at"))


        def _parse_replaced_ends_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                replaced_ends_at_type_0 = datetime.datetime.fromisoformat(data)



                return replaced_ends_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        replaced_ends_at = _parse_replaced_ends_at(d.pop("replaced_ends_at", UNSET))


        created_api_key = cls(
            id=id,
            name=name,
            prefix=prefix,
            key=key,
            scopes=scopes,
            created_at=created_at,
            expires_at=expires_at,
            replaced_ends_at=replaced_ends_at,
        )


        created_api_key.additional_properties = d
        return created_api_key

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
