from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.message_format import MessageFormat
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.brief_usage import BriefUsage
  from ..models.context import Context
  from ..models.live_compression import LiveCompression
  from ..models.problem import Problem
  from ..models.sync_state import SyncState
  from ..models.trigger_decision import TriggerDecision
  from ..models.warning import Warning_





T = TypeVar("T", bound="SyncResult")



@_attrs_define
class SyncResult:
    """ The outcome of a sync, the session's state after it, and the context to send to the model next.

        Attributes:
            session_id (str): The caller's name for a session (`session_id` in the API), unique per tenant.
            next_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            tokens_added (int): Tokens of the messages that were stored now.
            usage (BriefUsage): How full the context is: the figures that decide, and the rest when it is asked for.
            compression (LiveCompression | None): The live compression; null when there is none.
            sync (SyncState): The result for a list.
            branch (None | str | Unset): The branch; absent when it is main.
            first_seq (int | Unset): The position of a message in its session: 1, 2, 3 … without gaps.
            last_seq (int | Unset): The position of a message in its session: 1, 2, 3 … without gaps.
            format_ (MessageFormat | Unset): A conversation format, in and out.
            decision (TriggerDecision | Unset): The decision from the signals, as the reply to an append says it.
            warnings (list[Warning_] | Unset): What the caller should know: of the messages that were stored now always, as
                the reply to an append tells it; of the
                window, until it is told, only with `include=warnings`, and the context has that too. Absent when there is
                nothing.
            context (Context | Unset): An assembled context.
            context_problem (Problem | Unset): A refusal or failure (RFC 9457). Members beyond these are documented with the
                operation.
     """

    session_id: str
    next_seq: int
    tokens_added: int
    usage: BriefUsage
    compression: LiveCompression | None
    sync: SyncState
    branch: None | str | Unset = UNSET
    first_seq: int | Unset = UNSET
    last_seq: int | Unset = UNSET
    format_: MessageFormat | Unset = UNSET
    decision: TriggerDecision | Unset = UNSET
    warnings: list[Warning_] | Unset = UNSET
    context: Context | Unset = UNSET
    context_problem: Problem | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.brief_usage import BriefUsage # noqa: PLC0415
        from ..models.context import Context # noqa: PLC0415
        from ..models.live_compression import LiveCompression # noqa: PLC0415
        from ..models.problem import Problem # noqa: PLC0415
        from ..models.sync_state import SyncState # noqa: PLC0415
        from ..models.trigger_decision import TriggerDecision # noqa: PLC0415
        from ..models.warning import Warning_ # noqa: PLC0415
        session_id = self.session_id

        next_seq = self.next_seq

        tokens_added = self.tokens_added

        usage = self.usage.to_dict()

        compression: dict[str, Any] | None
        if isinstance(self.compression, LiveCompression):
            compression = self.compression.to_dict()
        else:
            compression = self.compression

        sync = self.sync.to_dict()

        branch: None | str | Unset
        if isinstance(self.branch, Unset):
            branch = UNSET
        else:
            branch = self.branch

        first_seq = self.first_seq

        last_seq = self.last_seq

        format_: str | Unset = UNSET
        if not isinstance(self.format_, Unset):
            format_ = self.format_.value


        decision: dict[str, Any] | Unset = UNSET
        if not isinstance(self.decision, Unset):
            decision = self.decision.to_dict()

        warnings: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.warnings, Unset):
            warnings = []
            for warnings_item_data in self.warnings:
                warnings_item = warnings_item_data.to_dict()
                warnings.append(warnings_item)



        context: dict[str, Any] | Unset = UNSET
        if not isinstance(self.context, Unset):
            context = self.context.to_dict()

        context_problem: dict[str, Any] | Unset = UNSET
        if not isinstance(self.context_problem, Unset):
            context_problem = self.context_problem.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "session_id": session_id,
            "next_seq": next_seq,
            "tokens_added": tokens_added,
            "usage": usage,
            "compression": compression,
            "sync": sync,
        })
        if branch is not UNSET:
            field_dict["branch"] = branch
        if first_seq is not UNSET:
            field_dict["first_seq"] = first_seq
        if last_seq is not UNSET:
            field_dict["last_seq"] = last_seq
        if format_ is not UNSET:
            field_dict["format"] = format_
        if decision is not UNSET:
            field_dict["decision"] = decision
        if warnings is not UNSET:
            field_dict["warnings"] = warnings
        if context is not UNSET:
            field_dict["context"] = context
        if context_problem is not UNSET:
            field_dict["context_problem"] = context_problem

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.brief_usage import BriefUsage # noqa: PLC0415
        from ..models.context import Context # noqa: PLC0415
        from ..models.live_compression import LiveCompression # noqa: PLC0415
        from ..models.problem import Problem # noqa: PLC0415
        from ..models.sync_state import SyncState # noqa: PLC0415
        from ..models.trigger_decision import TriggerDecision # noqa: PLC0415
        from ..models.warning import Warning_ # noqa: PLC0415
        d = dict(src_dict)
        session_id = d.pop("session_id")

        next_seq = d.pop("next_seq")

        tokens_added = d.pop("tokens_added")

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


        sync = SyncState.from_dict(d.pop("sync"))




        def _parse_branch(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        branch = _parse_branch(d.pop("branch", UNSET))


        first_seq = d.pop("first_seq", UNSET)

        last_seq = d.pop("last_seq", UNSET)

        _format_ = d.pop("format", UNSET)
        format_: MessageFormat | Unset
        if isinstance(_format_,  Unset):
            format_ = UNSET
        else:
            format_ = MessageFormat(_format_)




        _decision = d.pop("decision", UNSET)
        decision: TriggerDecision | Unset
        if isinstance(_decision,  Unset):
            decision = UNSET
        else:
            decision = TriggerDecision.from_dict(_decision)




        _warnings = d.pop("warnings", UNSET)
        warnings: list[Warning_] | Unset = UNSET
        if _warnings is not UNSET:
            warnings = []
            for warnings_item_data in _warnings:
                warnings_item = Warning_.from_dict(warnings_item_data)



                warnings.append(warnings_item)


        _context = d.pop("context", UNSET)
        context: Context | Unset
        if isinstance(_context,  Unset):
            context = UNSET
        else:
            context = Context.from_dict(_context)




        _context_problem = d.pop("context_problem", UNSET)
        context_problem: Problem | Unset
        if isinstance(_context_problem,  Unset):
            context_problem = UNSET
        else:
            context_problem = Problem.from_dict(_context_problem)




        sync_result = cls(
            session_id=session_id,
            next_seq=next_seq,
            tokens_added=tokens_added,
            usage=usage,
            compression=compression,
            sync=sync,
            branch=branch,
            first_seq=first_seq,
            last_seq=last_seq,
            format_=format_,
            decision=decision,
            warnings=warnings,
            context=context,
            context_problem=context_problem,
        )


        sync_result.additional_properties = d
        return sync_result

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
