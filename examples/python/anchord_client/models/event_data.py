from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.event_error import EventError





T = TypeVar("T", bound="EventData")



@_attrs_define
class EventData:
    """ The details of an event; see `type` for the fields that it has.

        Attributes:
            compression_id (None | str | Unset): The compression.
            version (int | None | Unset): The summary version.
            status (None | str | Unset): How the compression ended: `succeeded`, `failed`, `rejected`, `skipped`,
                `superseded` or `cancelled`.
            trigger (None | str | Unset): The cause of the compression: `manual`, or the signal's name.
            from_seq (int | None | Unset): The first message of the span.
            through_seq (int | None | Unset): The last message of the span.
            tokens_before (int | None | Unset): Record and digest of the version before plus the span, as contexts would
                serve them, in tokens.
            tokens_after (int | None | Unset): Record and digest of the new version, as contexts serve them, in tokens.
            reduction (float | None | Unset): The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`.
            probe_score (float | None | Unset): The share of the probes that passed, from 0 to 1.
            facts_score (float | None | Unset): The share of the probes about facts that passed, from 0 to 1.
            exam_score (float | None | Unset): The score of the exam, from 0 to 1.
            error (EventError | None | Unset): Why the compression failed.
            action (None | str | Unset): The most severe action of the signals.
            effective_utilization (float | None | Unset): The share of the effective window that the context takes; above 1
                when it is larger.
            context_tokens (int | None | Unset): Tokens of the context.
            effective_window (int | None | Unset): Tokens of the effective window.
            head_seq (int | None | Unset): The position of the newest message.
            from_ (None | str | Unset): The branch that was current before.
            to (None | str | Unset): The branch that is current now.
            webhook_id (None | str | Unset): The webhook that is tested.
     """

    compression_id: None | str | Unset = UNSET
    version: int | None | Unset = UNSET
    status: None | str | Unset = UNSET
    trigger: None | str | Unset = UNSET
    from_seq: int | None | Unset = UNSET
    through_seq: int | None | Unset = UNSET
    tokens_before: int | None | Unset = UNSET
    tokens_after: int | None | Unset = UNSET
    reduction: float | None | Unset = UNSET
    probe_score: float | None | Unset = UNSET
    facts_score: float | None | Unset = UNSET
    exam_score: float | None | Unset = UNSET
    error: EventError | None | Unset = UNSET
    action: None | str | Unset = UNSET
    effective_utilization: float | None | Unset = UNSET
    context_tokens: int | None | Unset = UNSET
    effective_window: int | None | Unset = UNSET
    head_seq: int | None | Unset = UNSET
    from_: None | str | Unset = UNSET
    to: None | str | Unset = UNSET
    webhook_id: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.event_error import EventError # noqa: PLC0415
        compression_id: None | str | Unset
        if isinstance(self.compression_id, Unset):
            compression_id = UNSET
        else:
            compression_id = self.compression_id

        version: int | None | Unset
        if isinstance(self.version, Unset):
            version = UNSET
        else:
            version = self.version

        status: None | str | Unset
        if isinstance(self.status, Unset):
            status = UNSET
        else:
            status = self.status

        trigger: None | str | Unset
        if isinstance(self.trigger, Unset):
            trigger = UNSET
        else:
            trigger = self.trigger

        from_seq: int | None | Unset
        if isinstance(self.from_seq, Unset):
            from_seq = UNSET
        else:
            from_seq = self.from_seq

        through_seq: int | None | Unset
        if isinstance(self.through_seq, Unset):
            through_seq = UNSET
        else:
            through_seq = self.through_seq

        tokens_before: int | None | Unset
        if isinstance(self.tokens_before, Unset):
            tokens_before = UNSET
        else:
            tokens_before = self.tokens_before

        tokens_after: int | None | Unset
        if isinstance(self.tokens_after, Unset):
            tokens_after = UNSET
        else:
            tokens_after = self.tokens_after

        reduction: float | None | Unset
        if isinstance(self.reduction, Unset):
            reduction = UNSET
        else:
            reduction = self.reduction

        probe_score: float | None | Unset
        if isinstance(self.probe_score, Unset):
            probe_score = UNSET
        else:
            probe_score = self.probe_score

        facts_score: float | None | Unset
        if isinstance(self.facts_score, Unset):
            facts_score = UNSET
        else:
            facts_score = self.facts_score

        exam_score: float | None | Unset
        if isinstance(self.exam_score, Unset):
            exam_score = UNSET
        else:
            exam_score = self.exam_score

        error: dict[str, Any] | None | Unset
        if isinstance(self.error, Unset):
            error = UNSET
        elif isinstance(self.error, EventError):
            error = self.error.to_dict()
        else:
            error = self.error

        action: None | str | Unset
        if isinstance(self.action, Unset):
            action = UNSET
        else:
            action = self.action

        effective_utilization: float | None | Unset
        if isinstance(self.effective_utilization, Unset):
            effective_utilization = UNSET
        else:
            effective_utilization = self.effective_utilization

        context_tokens: int | None | Unset
        if isinstance(self.context_tokens, Unset):
            context_tokens = UNSET
        else:
            context_tokens = self.context_tokens

        effective_window: int | None | Unset
        if isinstance(self.effective_window, Unset):
            effective_window = UNSET
        else:
            effective_window = self.effective_window

        head_seq: int | None | Unset
        if isinstance(self.head_seq, Unset):
            head_seq = UNSET
        else:
            head_seq = self.head_seq

        from_: None | str | Unset
        if isinstance(self.from_, Unset):
            from_ = UNSET
        else:
            from_ = self.from_

        to: None | str | Unset
        if isinstance(self.to, Unset):
            to = UNSET
        else:
            to = self.to

        webhook_id: None | str | Unset
        if isinstance(self.webhook_id, Unset):
            webhook_id = UNSET
        else:
            webhook_id = self.webhook_id


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
        })
        if compression_id is not UNSET:
            field_dict["compression_id"] = compression_id
        if version is not UNSET:
            field_dict["version"] = version
        if status is not UNSET:
            field_dict["status"] = status
        if trigger is not UNSET:
            field_dict["trigger"] = trigger
        if from_seq is not UNSET:
            field_dict["from_seq"] = from_seq
        if through_seq is not UNSET:
            field_dict["through_seq"] = through_seq
        if tokens_before is not UNSET:
            field_dict["tokens_before"] = tokens_before
        if tokens_after is not UNSET:
            field_dict["tokens_after"] = tokens_after
        if reduction is not UNSET:
            field_dict["reduction"] = reduction
        if probe_score is not UNSET:
            field_dict["probe_score"] = probe_score
        if facts_score is not UNSET:
            field_dict["facts_score"] = facts_score
        if exam_score is not UNSET:
            field_dict["exam_score"] = exam_score
        if error is not UNSET:
            field_dict["error"] = error
        if action is not UNSET:
            field_dict["action"] = action
        if effective_utilization is not UNSET:
            field_dict["effective_utilization"] = effective_utilization
        if context_tokens is not UNSET:
            field_dict["context_tokens"] = context_tokens
        if effective_window is not UNSET:
            field_dict["effective_window"] = effective_window
        if head_seq is not UNSET:
            field_dict["head_seq"] = head_seq
        if from_ is not UNSET:
            field_dict["from"] = from_
        if to is not UNSET:
            field_dict["to"] = to
        if webhook_id is not UNSET:
            field_dict["webhook_id"] = webhook_id

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.event_error import EventError # noqa: PLC0415
        d = dict(src_dict)
        def _parse_compression_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        compression_id = _parse_compression_id(d.pop("compression_id", UNSET))


        def _parse_version(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        version = _parse_version(d.pop("version", UNSET))


        def _parse_status(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        status = _parse_status(d.pop("status", UNSET))


        def _parse_trigger(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        trigger = _parse_trigger(d.pop("trigger", UNSET))


        def _parse_from_seq(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        from_seq = _parse_from_seq(d.pop("from_seq", UNSET))


        def _parse_through_seq(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        through_seq = _parse_through_seq(d.pop("through_seq", UNSET))


        def _parse_tokens_before(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        tokens_before = _parse_tokens_before(d.pop("tokens_before", UNSET))


        def _parse_tokens_after(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        tokens_after = _parse_tokens_after(d.pop("tokens_after", UNSET))


        def _parse_reduction(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        reduction = _parse_reduction(d.pop("reduction", UNSET))


        def _parse_probe_score(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        probe_score = _parse_probe_score(d.pop("probe_score", UNSET))


        def _parse_facts_score(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        facts_score = _parse_facts_score(d.pop("facts_score", UNSET))


        def _parse_exam_score(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        exam_score = _parse_exam_score(d.pop("exam_score", UNSET))


        def _parse_error(data: object) -> EventError | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                error_type_0 = EventError.from_dict(data)



                return error_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(EventError | None | Unset, data)

        error = _parse_error(d.pop("error", UNSET))


        def _parse_action(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        action = _parse_action(d.pop("action", UNSET))


        def _parse_effective_utilization(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        effective_utilization = _parse_effective_utilization(d.pop("effective_utilization", UNSET))


        def _parse_context_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        context_tokens = _parse_context_tokens(d.pop("context_tokens", UNSET))


        def _parse_effective_window(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        effective_window = _parse_effective_window(d.pop("effective_window", UNSET))


        def _parse_head_seq(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        head_seq = _parse_head_seq(d.pop("head_seq", UNSET))


        def _parse_from_(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        from_ = _parse_from_(d.pop("from", UNSET))


        def _parse_to(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        to = _parse_to(d.pop("to", UNSET))


        def _parse_webhook_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        webhook_id = _parse_webhook_id(d.pop("webhook_id", UNSET))


        event_data = cls(
            compression_id=compression_id,
            version=version,
            status=status,
            trigger=trigger,
            from_seq=from_seq,
            through_seq=through_seq,
            tokens_before=tokens_before,
            tokens_after=tokens_after,
            reduction=reduction,
            probe_score=probe_score,
            facts_score=facts_score,
            exam_score=exam_score,
            error=error,
            action=action,
            effective_utilization=effective_utilization,
            context_tokens=context_tokens,
            effective_window=effective_window,
            head_seq=head_seq,
            from_=from_,
            to=to,
            webhook_id=webhook_id,
        )


        event_data.additional_properties = d
        return event_data

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
