from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime






T = TypeVar("T", bound="AuditEvent")



@_attrs_define
class AuditEvent:
    """ An entry of the audit log.

        Attributes:
            id (str): An id that starts with `aud_`.
            tenant_id (str): An id that starts with `ten_`.
            actor (str): Who made the change: `operator`, `cli` or the id of an API key.
            action (str): What was done.
            subject (str): The id of what it was done to.
            created_at (datetime.datetime): When the change was made.
     """

    id: str
    tenant_id: str
    actor: str
    action: str
    subject: str
    created_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        tenant_id = self.tenant_id

        actor = self.actor

        action = self.action

        subject = self.subject

        created_at = self.created_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "tenant_id": tenant_id,
            "actor": actor,
            "action": action,
            "subject": subject,
            "created_at": created_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        tenant_id = d.pop("tenant_id")

        actor = d.pop("actor")

        action = d.pop("action")

        subject = d.pop("subject")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        audit_event = cls(
            id=id,
            tenant_id=tenant_id,
            actor=actor,
            action=action,
            subject=subject,
            created_at=created_at,
        )


        audit_event.additional_properties = d
        return audit_event

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
