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
  from ..models.context_usage import ContextUsage
  from ..models.live_compression import LiveCompression
  from ..models.llm_breaker import LlmBreaker
  from ..models.resolved_policy import ResolvedPolicy
  from ..models.settings import Settings
  from ..models.warning import Warning_





T = TypeVar("T", bound="Session")



@_attrs_define
class Session:
    """ A session: its settings, the resolved policy and its current state.

        Attributes:
            session_id (str): The caller's name for a session (`session_id` in the API), unique per tenant.
            settings (Settings): Settings as the caller gave them; every field is optional.
            policy (ResolvedPolicy): Settings with every default resolved.
            head_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            next_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            anchor_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            summary_version (int | None): The current summary version; null when there is none.
            compression_count (int): Versions that compressions published.
            context_revision (int): Grows with every change of pins, notes or settings.
            usage (ContextUsage): How full the context is, as every append and read of a session reports it.
            compression (LiveCompression | None): The live compression; null when there is none.
            created_at (datetime.datetime): When the session was created.
            updated_at (datetime.datetime): When it was last written to.
            branch (None | str | Unset): The branch; absent when it is main.
            warnings (list[Warning_] | Unset): Warnings about the window, until it is told; absent when there are none.
            llm_breaker (LlmBreaker | None | Unset): Only when one session is read, and when models came to nothing for its
                last compressions.
     """

    session_id: str
    settings: Settings
    policy: ResolvedPolicy
    head_seq: int
    next_seq: int
    anchor_seq: int
    summary_version: int | None
    compression_count: int
    context_revision: int
    usage: ContextUsage
    compression: LiveCompression | None
    created_at: datetime.datetime
    updated_at: datetime.datetime
    branch: None | str | Unset = UNSET
    warnings: list[Warning_] | Unset = UNSET
    llm_breaker: LlmBreaker | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.context_usage import ContextUsage # noqa: PLC0415
        from ..models.live_compression import LiveCompression # noqa: PLC0415
        from ..models.llm_breaker import LlmBreaker # noqa: PLC0415
        from ..models.resolved_policy import ResolvedPolicy # noqa: PLC0415
        from ..models.settings import Settings # noqa: PLC0415
        from ..models.warning import Warning_ # noqa: PLC0415
        session_id = self.session_id

        settings = self.settings.to_dict()

        policy = self.policy.to_dict()

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

        warnings: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.warnings, Unset):
            warnings = []
            for warnings_item_data in self.warnings:
                warnings_item = warnings_item_data.to_dict()
                warnings.append(warnings_item)



        llm_breaker: dict[str, Any] | None | Unset
        if isinstance(self.llm_breaker, Unset):
            llm_breaker = UNSET
        elif isinstance(self.llm_breaker, LlmBreaker):
            llm_breaker = self.llm_breaker.to_dict()
        else:
            llm_breaker = self.llm_breaker


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "session_id": session_id,
            "settings": settings,
            "policy": policy,
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
        if warnings is not UNSET:
            field_dict["warnings"] = warnings
        if llm_breaker is not UNSET:
            field_dict["llm_breaker"] = llm_breaker

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.context_usage import ContextUsage # noqa: PLC0415
        from ..models.live_compression import LiveCompression # noqa: PLC0415
        from ..models.llm_breaker import LlmBreaker # noqa: PLC0415
        from ..models.resolved_policy import ResolvedPolicy # noqa: PLC0415
        from ..models.settings import Settings # noqa: PLC0415
        from ..models.warning import Warning_ # noqa: PLC0415
        d = dict(src_dict)
        session_id = d.pop("session_id")

        settings = Settings.from_dict(d.pop("settings"))




        policy = ResolvedPolicy.from_dict(d.pop("policy"))




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

        usage = ContextUsage.from_dict(d.pop("usage"))




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


        _warnings = d.pop("warnings", UNSET)
        warnings: list[Warning_] | Unset = UNSET
        if _warnings is not UNSET:
            warnings = []
            for warnings_item_data in _warnings:
                warnings_item = Warning_.from_dict(warnings_item_data)



                warnings.append(warnings_item)


        def _parse_llm_breaker(data: object) -> LlmBreaker | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                llm_breaker_type_0 = LlmBreaker.from_dict(data)



                return llm_breaker_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(LlmBreaker | None | Unset, data)

        llm_breaker = _parse_llm_breaker(d.pop("llm_breaker", UNSET))


        session = cls(
            session_id=session_id,
            settings=settings,
            policy=policy,
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
            warnings=warnings,
            llm_breaker=llm_breaker,
        )


        session.additional_properties = d
        return session

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
