from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.brief_usage import BriefUsage
  from ..models.live_compression import LiveCompression
  from ..models.resolved_policy import ResolvedPolicy
  from ..models.settings import Settings





T = TypeVar("T", bound="SessionItem")



@_attrs_define
class SessionItem:
    """ A session in a list: its state; settings only on request.

        Attributes:
            session_id (str): The caller's name for a session (`session_id` in the API), unique per tenant.
            task_id (None | str): The task that it belongs to; null when there is none.
            parent_session_id (None | str): The session that started it; null when there is none.
            head_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            next_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            anchor_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            summary_version (int | None): The current summary version; null when there is none.
            compression_count (int): Versions that compressions published.
            context_revision (int): Grows with every change of pins, notes or settings.
            usage (BriefUsage): How full the context is: the figures that decide, and the rest when it is asked for.
            compression (LiveCompression | None): The live compression; null when there is none.
            created_at (datetime.datetime): When the session was created.
            updated_at (datetime.datetime): When it was last written to.
            branch (None | str | Unset): The branch; absent when it is main.
            settings (Settings | Unset): Settings as the caller gave them; every field is optional.
            policy (ResolvedPolicy | Unset): Settings with every default resolved.
     """

    session_id: str
    task_id: None | str
    parent_session_id: None | str
    head_seq: int
    next_seq: int
    anchor_seq: int
    summary_version: int | None
    compression_count: int
    context_revision: int
    usage: BriefUsage
    compression: LiveCompression | None
    created_at: datetime.datetime
    updated_at: datetime.datetime
    branch: None | str | Unset = UNSET
    settings: Settings | Unset = UNSET
    policy: ResolvedPolicy | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.brief_usage import BriefUsage # noqa: PLC0415
        from ..models.live_compression import LiveCompression # noqa: PLC0415
        from ..models.resolved_policy import ResolvedPolicy # noqa: PLC0415
        from ..models.settings import Settings # noqa: PLC0415
        session_id = self.session_id

        task_id: None | str
        task_id = self.task_id

        parent_session_id: None | str
        parent_session_id = self.parent_session_id

        head_seq = self.head_seq

        next_seq = self.next_seq

        anchor_seq = self.anchor_seq

        summary_version: int | None
        summary_version = self.summary_version

        compression_count = self.compression_count

        context_revision = self.context_revision

        usage = self.usage.to_dict()

        compression: dict[str, Any] | None
        if isinstance(self.compression, LiveCompression):
            compression = self.compression.to_dict()
        else:
            compression = self.compression

        created_at = self.created_at.isoformat()

        updated_at = self.updated_at.isoformat()

        branch: None | str | Unset
        if isinstance(self.branch, Unset):
            branch = UNSET
        else:
            branch = self.branch

        settings: dict[str, Any] | Unset = UNSET
        if not isinstance(self.settings, Unset):
            settings = self.settings.to_dict()

        policy: dict[str, Any] | Unset = UNSET
        if not isinstance(self.policy, Unset):
            policy = self.policy.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "session_id": session_id,
            "task_id": task_id,
            "parent_session_id": parent_session_id,
            "head_seq": head_seq,
            "next_seq": next_seq,
            "anchor_seq": anchor_seq,
            "summary_version": summary_version,
            "compression_count": compression_count,
            "context_revision": context_revision,
            "usage": usage,
            "compression": compression,
            "created_at": created_at,
            "updated_at": updated_at,
        })
        if branch is not UNSET:
            field_dict["branch"] = branch
        if settings is not UNSET:
            field_dict["settings"] = settings
        if policy is not UNSET:
            field_dict["policy"] = policy

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.brief_usage import BriefUsage # noqa: PLC0415
        from ..models.live_compression import LiveCompression # noqa: PLC0415
        from ..models.resolved_policy import ResolvedPolicy # noqa: PLC0415
        from ..models.settings import Settings # noqa: PLC0415
        d = dict(src_dict)
        session_id = d.pop("session_id")

        def _parse_task_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        task_id = _parse_task_id(d.pop("task_id"))


        def _parse_parent_session_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        parent_session_id = _parse_parent_session_id(d.pop("parent_session_id"))


        head_seq = d.pop("head_seq")

        next_seq = d.pop("next_seq")

        anchor_seq = d.pop("anchor_seq")

        def _parse_summary_version(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        summary_version = _parse_summary_version(d.pop("summary_version"))


        compression_count = d.pop("compression_count")

        context_revision = d.pop("context_revision")

        usage = BriefUsage.from_dict(d.pop("usage"))




        def _parse_compression(data: object) -> LiveCompression | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                compression_type_0 = LiveCompression.from_dict(data)



                return compression_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(LiveCompression | None, data)

        compression = _parse_compression(d.pop("compression"))


        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))




        def _parse_branch(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        branch = _parse_branch(d.pop("branch", UNSET))


        _settings = d.pop("settings", UNSET)
        settings: Settings | Unset
        if isinstance(_settings,  Unset):
            settings = UNSET
        else:
            settings = Settings.from_dict(_settings)




        _policy = d.pop("policy", UNSET)
        policy: ResolvedPolicy | Unset
        if isinstance(_policy,  Unset):
            policy = UNSET
        else:
            policy = ResolvedPolicy.from_dict(_policy)




        session_item = cls(
            session_id=session_id,
            task_id=task_id,
            parent_session_id=parent_session_id,
            head_seq=head_seq,
            next_seq=next_seq,
            anchor_seq=anchor_seq,
            summary_version=summary_version,
            compression_count=compression_count,
            context_revision=context_revision,
            usage=usage,
            compression=compression,
            created_at=created_at,
            updated_at=updated_at,
            branch=branch,
            settings=settings,
            policy=policy,
        )


        session_item.additional_properties = d
        return session_item

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
