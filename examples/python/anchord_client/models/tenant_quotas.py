from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="TenantQuotas")



@_attrs_define
class TenantQuotas:
    """ The bounds of one tenant; what is absent or null is not bounded for it alone.

        Attributes:
            requests_per_second (int | None | Unset): Requests per second, over all keys.
            messages_per_day (int | None | Unset): Messages appended in a day (UTC).
            stored_bytes (int | None | Unset): Bytes of messages that are stored.
            llm_tokens_per_day (int | None | Unset): Tokens that summarising by models may take in a day (UTC); beyond it
                code makes the summaries.
            concurrent_compressions (int | None | Unset): Compressions at the same time.
            sessions (int | None | Unset): Sessions; 1,000,000 when absent.
            keys (int | None | Unset): API keys that are neither revoked nor expired; 1,000 when absent.
            kept_replies (int | None | Unset): Replies that are kept for idempotency keys, for a day each; 5,000,000 when
                absent.
            waiting_jobs (int | None | Unset): Jobs that wait for a worker when a caller asks for another one; 10,000 when
                absent.
            waiting_deliveries (int | None | Unset): Deliveries that wait for each webhook; 10,000 when absent. Further
                events are not delivered to it.
            jobs_per_session (int | None | Unset): Jobs of one session, ended ones included, when a caller asks for another
                one; 20,000 when absent.
            versions_per_session (int | None | Unset): Versions of one session when a caller asks for a rollback; 20,000
                when absent.
            tasks_per_session (int | None | Unset): Tasks that one session was part of; 1,000 when absent.
     """

    requests_per_second: int | None | Unset = UNSET
    messages_per_day: int | None | Unset = UNSET
    stored_bytes: int | None | Unset = UNSET
    llm_tokens_per_day: int | None | Unset = UNSET
    concurrent_compressions: int | None | Unset = UNSET
    sessions: int | None | Unset = UNSET
    keys: int | None | Unset = UNSET
    kept_replies: int | None | Unset = UNSET
    waiting_jobs: int | None | Unset = UNSET
    waiting_deliveries: int | None | Unset = UNSET
    jobs_per_session: int | None | Unset = UNSET
    versions_per_session: int | None | Unset = UNSET
    tasks_per_session: int | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        requests_per_second: int | None | Unset
        if isinstance(self.requests_per_second, Unset):
            requests_per_second = UNSET
        else:
            requests_per_second = self.requests_per_second

        messages_per_day: int | None | Unset
        if isinstance(self.messages_per_day, Unset):
            messages_per_day = UNSET
        else:
            messages_per_day = self.messages_per_day

        stored_bytes: int | None | Unset
        if isinstance(self.stored_bytes, Unset):
            stored_bytes = UNSET
        else:
            stored_bytes = self.stored_bytes

        llm_tokens_per_day: int | None | Unset
        if isinstance(self.llm_tokens_per_day, Unset):
            llm_tokens_per_day = UNSET
        else:
            llm_tokens_per_day = self.llm_tokens_per_day

        concurrent_compressions: int | None | Unset
        if isinstance(self.concurrent_compressions, Unset):
            concurrent_compressions = UNSET
        else:
            concurrent_compressions = self.concurrent_compressions

        sessions: int | None | Unset
        if isinstance(self.sessions, Unset):
            sessions = UNSET
        else:
            sessions = self.sessions

        keys: int | None | Unset
        if isinstance(self.keys, Unset):
            keys = UNSET
        else:
            keys = self.keys

        kept_replies: int | None | Unset
        if isinstance(self.kept_replies, Unset):
            kept_replies = UNSET
        else:
            kept_replies = self.kept_replies

        waiting_jobs: int | None | Unset
        if isinstance(self.waiting_jobs, Unset):
            waiting_jobs = UNSET
        else:
            waiting_jobs = self.waiting_jobs

        waiting_deliveries: int | None | Unset
        if isinstance(self.waiting_deliveries, Unset):
            waiting_deliveries = UNSET
        else:
            waiting_deliveries = self.waiting_deliveries

        jobs_per_session: int | None | Unset
        if isinstance(self.jobs_per_session, Unset):
            jobs_per_session = UNSET
        else:
            jobs_per_session = self.jobs_per_session

        versions_per_session: int | None | Unset
        if isinstance(self.versions_per_session, Unset):
            versions_per_session = UNSET
        else:
            versions_per_session = self.versions_per_session

        tasks_per_session: int | None | Unset
        if isinstance(self.tasks_per_session, Unset):
            tasks_per_session = UNSET
        else:
            tasks_per_session = self.tasks_per_session


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if requests_per_second is not UNSET:
            field_dict["requests_per_second"] = requests_per_second
        if messages_per_day is not UNSET:
            field_dict["messages_per_day"] = messages_per_day
        if stored_bytes is not UNSET:
            field_dict["stored_bytes"] = stored_bytes
        if llm_tokens_per_day is not UNSET:
            field_dict["llm_tokens_per_day"] = llm_tokens_per_day
        if concurrent_compressions is not UNSET:
            field_dict["concurrent_compressions"] = concurrent_compressions
        if sessions is not UNSET:
            field_dict["sessions"] = sessions
        if keys is not UNSET:
            field_dict["keys"] = keys
        if kept_replies is not UNSET:
            field_dict["kept_replies"] = kept_replies
        if waiting_jobs is not UNSET:
            field_dict["waiting_jobs"] = waiting_jobs
        if waiting_deliveries is not UNSET:
            field_dict["waiting_deliveries"] = waiting_deliveries
        if jobs_per_session is not UNSET:
            field_dict["jobs_per_session"] = jobs_per_session
        if versions_per_session is not UNSET:
            field_dict["versions_per_session"] = versions_per_session
        if tasks_per_session is not UNSET:
            field_dict["tasks_per_session"] = tasks_per_session

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_requests_per_second(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        requests_per_second = _parse_requests_per_second(d.pop("requests_per_second", UNSET))


        def _parse_messages_per_day(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        messages_per_day = _parse_messages_per_day(d.pop("messages_per_day", UNSET))


        def _parse_stored_bytes(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        stored_bytes = _parse_stored_bytes(d.pop("stored_bytes", UNSET))


        def _parse_llm_tokens_per_day(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        llm_tokens_per_day = _parse_llm_tokens_per_day(d.pop("llm_tokens_per_day", UNSET))


        def _parse_concurrent_compressions(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        concurrent_compressions = _parse_concurrent_compressions(d.pop("concurrent_compressions", UNSET))


        def _parse_sessions(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        sessions = _parse_sessions(d.pop("sessions", UNSET))


        def _parse_keys(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        keys = _parse_keys(d.pop("keys", UNSET))


        def _parse_kept_replies(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        kept_replies = _parse_kept_replies(d.pop("kept_replies", UNSET))


        def _parse_waiting_jobs(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        waiting_jobs = _parse_waiting_jobs(d.pop("waiting_jobs", UNSET))


        def _parse_waiting_deliveries(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        waiting_deliveries = _parse_waiting_deliveries(d.pop("waiting_deliveries", UNSET))


        def _parse_jobs_per_session(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        jobs_per_session = _parse_jobs_per_session(d.pop("jobs_per_session", UNSET))


        def _parse_versions_per_session(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        versions_per_session = _parse_versions_per_session(d.pop("versions_per_session", UNSET))


        def _parse_tasks_per_session(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        tasks_per_session = _parse_tasks_per_session(d.pop("tasks_per_session", UNSET))


        tenant_quotas = cls(
            requests_per_second=requests_per_second,
            messages_per_day=messages_per_day,
            stored_bytes=stored_bytes,
            llm_tokens_per_day=llm_tokens_per_day,
            concurrent_compressions=concurrent_compressions,
            sessions=sessions,
            keys=keys,
            kept_replies=kept_replies,
            waiting_jobs=waiting_jobs,
            waiting_deliveries=waiting_deliveries,
            jobs_per_session=jobs_per_session,
            versions_per_session=versions_per_session,
            tasks_per_session=tasks_per_session,
        )

        return tenant_quotas

