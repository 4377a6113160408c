from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.session_state_compression_state import SessionStateCompressionState
  from ..models.session_state_current_task import SessionStateCurrentTask
  from ..models.session_state_meta import SessionStateMeta





T = TypeVar("T", bound="SessionState")



@_attrs_define
class SessionState:
    """ A session state file. It is rendered as text; this is its shape.

        Attributes:
            schema (str): Always `context://session/v1`.
            session_id (str): The session's id.
            started (datetime.datetime): When the session was created.
            last_activity (datetime.datetime): When it was last written to.
            field_meta (SessionStateMeta): For loaders of such files: where the file goes in a prompt and how many tokens it
                may take.
            current_task (SessionStateCurrentTask): The task in hand, and whether it is `in_progress` or `blocked`.
            next_steps (list[str]): The next steps.
            blockers (list[str]): Obstacles.
            compression_state (SessionStateCompressionState): The summary's sections and the figures of its making.
     """

    schema: str
    session_id: str
    started: datetime.datetime
    last_activity: datetime.datetime
    field_meta: SessionStateMeta
    current_task: SessionStateCurrentTask
    next_steps: list[str]
    blockers: list[str]
    compression_state: SessionStateCompressionState
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.session_state_compression_state import SessionStateCompressionState # noqa: PLC0415
        from ..models.session_state_current_task import SessionStateCurrentTask # noqa: PLC0415
        from ..models.session_state_meta import SessionStateMeta # noqa: PLC0415
        schema = self.schema

        session_id = self.session_id

        started = self.started.isoformat()

        last_activity = self.last_activity.isoformat()

        field_meta = self.field_meta.to_dict()

        current_task = self.current_task.to_dict()

        next_steps = self.next_steps



        blockers = self.blockers



        compression_state = self.compression_state.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "$schema": schema,
            "session_id": session_id,
            "started": started,
            "last_activity": last_activity,
            "_meta": field_meta,
            "current_task": current_task,
            "next_steps": next_steps,
            "blockers": blockers,
            "compression_state": compression_state,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.session_state_compression_state import SessionStateCompressionState # noqa: PLC0415
        from ..models.session_state_current_task import SessionStateCurrentTask # noqa: PLC0415
        from ..models.session_state_meta import SessionStateMeta # noqa: PLC0415
        d = dict(src_dict)
        schema = d.pop("$schema")

        session_id = d.pop("session_id")

        started = datetime.datetime.fromisoformat(d.pop("started"))




        last_activity = datetime.datetime.fromisoformat(d.pop("last_activity"))




        field_meta = SessionStateMeta.from_dict(d.pop("_meta"))




        current_task = SessionStateCurrentTask.from_dict(d.pop("current_task"))




        next_steps = cast(list[str], d.pop("next_steps"))


        blockers = cast(list[str], d.pop("blockers"))


        compression_state = SessionStateCompressionState.from_dict(d.pop("compression_state"))




        session_state = cls(
            schema=schema,
            session_id=session_id,
            started=started,
            last_activity=last_activity,
            field_meta=field_meta,
            current_task=current_task,
            next_steps=next_steps,
            blockers=blockers,
            compression_state=compression_state,
        )


        session_state.additional_properties = d
        return session_state

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
