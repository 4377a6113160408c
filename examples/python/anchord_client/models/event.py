from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.event_type import EventType
from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.event_data import EventData





T = TypeVar("T", bound="Event")



@_attrs_define
class Event:
    """ Something that happened in a session. Streams and webhooks send the same JSON.

        Attributes:
            id (int | None): Its id, which grows within a session; a stream resumes after it. Null in a `webhook.test`.
            type_ (EventType): The types of events. A webhook can subscribe to all but `webhook.test`, which is sent on
                request.
            session_id (None | str): The session. Null in a `webhook.test`.
            created_at (datetime.datetime): When it happened.
            data (EventData): The details of an event; see `type` for the fields that it has.
            branch (None | str | Unset): The branch of the session; absent when it is `main`, and in what is no branch's.
     """

    id: int | None
    type_: EventType
    session_id: None | str
    created_at: datetime.datetime
    data: EventData
    branch: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.event_data import EventData # noqa: PLC0415
        id: int | None
        id = self.id

        type_ = self.type_.value

        session_id: None | str
        session_id = self.session_id

        created_at = self.created_at.isoformat()

        data = self.data.to_dict()

        branch: None | str | Unset
        if isinstance(self.branch, Unset):
            branch = UNSET
        else:
            branch = self.branch


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "type": type_,
            "session_id": session_id,
            "created_at": created_at,
            "data": data,
        })
        if branch is not UNSET:
            field_dict["branch"] = branch

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.event_data import EventData # noqa: PLC0415
        d = dict(src_dict)
        def _parse_id(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        id = _parse_id(d.pop("id"))


        type_ = EventType(d.pop("type"))




        def _parse_session_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        session_id = _parse_session_id(d.pop("session_id"))


        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        data = EventData.from_dict(d.pop("data"))




        def _parse_branch(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        branch = _parse_branch(d.pop("branch", UNSET))


        event = cls(
            id=id,
            type_=type_,
            session_id=session_id,
            created_at=created_at,
            data=data,
            branch=branch,
        )


        event.additional_properties = d
        return event

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
