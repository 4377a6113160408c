from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.message_format import MessageFormat
from ..models.strategy import Strategy
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.message import Message
  from ..models.omitted_range import OmittedRange
  from ..models.summary import Summary





T = TypeVar("T", bound="CompressedMessages")



@_attrs_define
class CompressedMessages:
    """ Compressed messages.

        Attributes:
            format_ (MessageFormat): A conversation format, in and out.
            messages (list[Message]): The messages to send to the model: system prompt, summary and the newest ones.
            summary (None | Summary): The summary's record, with positions that count `messages` of the request from 1; null
                when there
                was nothing to compress, or no summary was smaller or held (`warnings` say why).
            rendering (None | str): The summary's text, as `messages` show it.
            tokens_before (int): Tokens of the messages that came in.
            tokens_after (int): Tokens of what comes back.
            reduction (float | None): The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 %
                fewer, four to one.
            probe_score (float | None): The share of the probes that passed, from 0 to 1; null without probes.
            facts_score (float | None): The same of the probes that ask for facts which code found.
            probes_asked (int): Probes that were judged.
            probes_failed (int): Probes that failed.
            critical_failed (int): Critical probes that failed.
            strategy (Strategy): What a compression reads and what it makes of it.
            pending_tool_calls (list[str]): Calls that wait for their results, by their ids in `messages`.
            omitted (list[OmittedRange]): Messages that are neither shown in full nor covered by the summary.
            warnings (list[str]): Warnings for the caller.
            system (str | Unset): The system prompt, where the format keeps it apart.
     """

    format_: MessageFormat
    messages: list[Message]
    summary: None | Summary
    rendering: None | str
    tokens_before: int
    tokens_after: int
    reduction: float | None
    probe_score: float | None
    facts_score: float | None
    probes_asked: int
    probes_failed: int
    critical_failed: int
    strategy: Strategy
    pending_tool_calls: list[str]
    omitted: list[OmittedRange]
    warnings: list[str]
    system: str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.message import Message # noqa: PLC0415
        from ..models.omitted_range import OmittedRange # noqa: PLC0415
        from ..models.summary import Summary # noqa: PLC0415
        format_ = self.format_.value

        messages = []
        for messages_item_data in self.messages:
            messages_item = messages_item_data.to_dict()
            messages.append(messages_item)



        summary: dict[str, Any] | None
        if isinstance(self.summary, Summary):
            summary = self.summary.to_dict()
        else:
            summary = self.summary

        rendering: None | str
        rendering = self.rendering

        tokens_before = self.tokens_before

        tokens_after = self.tokens_after

        reduction: float | None
        reduction = self.reduction

        probe_score: float | None
        probe_score = self.probe_score

        facts_score: float | None
        facts_score = self.facts_score

        probes_asked = self.probes_asked

        probes_failed = self.probes_failed

        critical_failed = self.critical_failed

        strategy = self.strategy.value

        pending_tool_calls = self.pending_tool_calls



        omitted = []
        for omitted_item_data in self.omitted:
            omitted_item = omitted_item_data.to_dict()
            omitted.append(omitted_item)



        warnings = self.warnings



        system = self.system


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "format": format_,
            "messages": messages,
            "summary": summary,
            "rendering": rendering,
            "tokens_before": tokens_before,
            "tokens_after": tokens_after,
            "reduction": reduction,
            "probe_score": probe_score,
            "facts_score": facts_score,
            "probes_asked": probes_asked,
            "probes_failed": probes_failed,
            "critical_failed": critical_failed,
            "strategy": strategy,
            "pending_tool_calls": pending_tool_calls,
            "omitted": omitted,
            "warnings": warnings,
        })
        if system is not UNSET:
            field_dict["system"] = system

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.message import Message # noqa: PLC0415
        from ..models.omitted_range import OmittedRange # noqa: PLC0415
        from ..models.summary import Summary # noqa: PLC0415
        d = dict(src_dict)
        format_ = MessageFormat(d.pop("format"))




        messages = []
        _messages = d.pop("messages")
        for messages_item_data in (_messages):
            messages_item = Message.from_dict(messages_item_data)



            messages.append(messages_item)


        def _parse_summary(data: object) -> None | Summary:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                summary_type_0 = Summary.from_dict(data)



                return summary_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Summary, data)

        summary = _parse_summary(d.pop("summary"))


        def _parse_rendering(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        rendering = _parse_rendering(d.pop("rendering"))


        tokens_before = d.pop("tokens_before")

        tokens_after = d.pop("tokens_after")

        def _parse_reduction(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        reduction = _parse_reduction(d.pop("reduction"))


        def _parse_probe_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        probe_score = _parse_probe_score(d.pop("probe_score"))


        def _parse_facts_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        facts_score = _parse_facts_score(d.pop("facts_score"))


        probes_asked = d.pop("probes_asked")

        probes_failed = d.pop("probes_failed")

        critical_failed = d.pop("critical_failed")

        strategy = Strategy(d.pop("strategy"))




        pending_tool_calls = cast(list[str], d.pop("pending_tool_calls"))


        omitted = []
        _omitted = d.pop("omitted")
        for omitted_item_data in (_omitted):
            omitted_item = OmittedRange.from_dict(omitted_item_data)



            omitted.append(omitted_item)


        warnings = cast(list[str], d.pop("warnings"))


        system = d.pop("system", UNSET)

        compressed_messages = cls(
            format_=format_,
            messages=messages,
            summary=summary,
            rendering=rendering,
            tokens_before=tokens_before,
            tokens_after=tokens_after,
            reduction=reduction,
            probe_score=probe_score,
            facts_score=facts_score,
            probes_asked=probes_asked,
            probes_failed=probes_failed,
            critical_failed=critical_failed,
            strategy=strategy,
            pending_tool_calls=pending_tool_calls,
            omitted=omitted,
            warnings=warnings,
            system=system,
        )


        compressed_messages.additional_properties = d
        return compressed_messages

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
