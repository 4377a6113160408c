from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.webhook_delivery_failure import WebhookDeliveryFailure
from ..models.webhook_delivery_status import WebhookDeliveryStatus
from ..types import UNSET, Unset
from typing import cast
import datetime






T = TypeVar("T", bound="WebhookDelivery")



@_attrs_define
class WebhookDelivery:
    """ A message to a webhook and what became of it.

        Attributes:
            id (str): An id that starts with `dlv_`.
            webhook_id (str): An id that starts with `whk_`.
            event (str): The type of the event.
            session_id (None | str): The caller's name for a session (`session_id` in the API), unique per tenant.
            status (WebhookDeliveryStatus): The status of a delivery to a webhook.
            attempts (int): Attempts so far.
            last_status_code (int | None): The receiver's last answer; null when there was none.
            last_error (None | WebhookDeliveryFailure): Why the last attempt failed: `status`, `timeout`, `connection`,
                `tls` or `address`; null when it
                succeeded.
            last_duration_ms (int | None): The duration of the last attempt, in milliseconds.
            last_attempt_at (datetime.datetime | None): When it was last tried.
            next_attempt_at (datetime.datetime | None): When it is tried next; null while it is being tried and when it is
                not tried again.
            created_at (datetime.datetime): When it was made: in the commit of its event.
            finished_at (datetime.datetime | None): When it succeeded or was given up.
            branch (None | str | Unset): The name of a branch, unique in its session.
     """

    id: str
    webhook_id: str
    event: str
    session_id: None | str
    status: WebhookDeliveryStatus
    attempts: int
    last_status_code: int | None
    last_error: None | WebhookDeliveryFailure
    last_duration_ms: int | None
    last_attempt_at: datetime.datetime | None
    next_attempt_at: datetime.datetime | None
    created_at: datetime.datetime
    finished_at: datetime.datetime | None
    branch: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        webhook_id = self.webhook_id

        event = self.event

        session_id: None | str
        session_id = self.session_id

        status = self.status.value

        attempts = self.attempts

        last_status_code: int | None
        last_status_code = self.last_status_code

        last_error: None | str
        if isinstance(self.last_error, WebhookDeliveryFailure):
            last_error = self.last_error.value
        else:
            last_error = self.last_error

        last_duration_ms: int | None
        last_duration_ms = self.last_duration_ms

        last_attempt_at: None | str
        if isinstance(self.last_attempt_at, datetime.datetime):
            last_attempt_at = self.last_attempt_at.isoformat()
        else:
            last_attempt_at = self.last_attempt_at

        next_attempt_at: None | str
        if isinstance(self.next_attempt_at, datetime.datetime):
            next_attempt_at = self.next_attempt_at.isoformat()
        else:
            next_attempt_at = self.next_attempt_at

        created_at = self.created_at.isoformat()

        finished_at: None | str
        if isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at

        branch: None | str | Unset
        if isinstance(self.branch, Unset):
            branch = UNSET
        else:
            branch = self.branch


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "webhook_id": webhook_id,
            "event": event,
            "session_id": session_id,
            "status": status,
            "attempts": attempts,
            "last_status_code": last_status_code,
            "last_error": last_error,
            "last_duration_ms": last_duration_ms,
            "last_attempt_at": last_attempt_at,
            "next_attempt_at": next_attempt_at,
            "created_at": created_at,
            "finished_at": finished_at,
        })
        if branch is not UNSET:
            field_dict["branch"] = branch

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        webhook_id = d.pop("webhook_id")

        event = d.pop("event")

        def _parse_session_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        session_id = _parse_session_id(d.pop("session_id"))


        status = WebhookDeliveryStatus(d.pop("status"))




        attempts = d.pop("attempts")

        def _parse_last_status_code(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        last_status_code = _parse_last_status_code(d.pop("last_status_code"))


        def _parse_last_error(data: object) -> None | WebhookDeliveryFailure:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_error_type_0 = WebhookDeliveryFailure(data)



                return last_error_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | WebhookDeliveryFailure, data)

        last_error = _parse_last_error(d.pop("last_error"))


        def _parse_last_duration_ms(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        last_duration_ms = _parse_last_duration_ms(d.pop("last_duration_ms"))


        def _parse_last_attempt_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_attempt_at_type_0 = datetime.datetime.fromisoformat(data)



                return last_attempt_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        last_attempt_at = _parse_last_attempt_at(d.pop("last_attempt_at"))


        def _parse_next_attempt_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_attempt_at_type_0 = datetime.datetime.fromisoformat(data)



                return next_attempt_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        next_attempt_at = _parse_next_attempt_at(d.pop("next_attempt_at"))


        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        def _parse_finished_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                finished_at_type_0 = datetime.datetime.fromisoformat(data)



                return finished_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        finished_at = _parse_finished_at(d.pop("finished_at"))


        def _parse_branch(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        branch = _parse_branch(d.pop("branch", UNSET))


        webhook_delivery = cls(
            id=id,
            webhook_id=webhook_id,
            event=event,
            session_id=session_id,
            status=status,
            attempts=attempts,
            last_status_code=last_status_code,
            last_error=last_error,
            last_duration_ms=last_duration_ms,
            last_attempt_at=last_attempt_at,
            next_attempt_at=next_attempt_at,
            created_at=created_at,
            finished_at=finished_at,
            branch=branch,
        )


        webhook_delivery.additional_properties = d
        return webhook_delivery

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
