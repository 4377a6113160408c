from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.mask_mode import MaskMode
from ..models.policy_name import PolicyName
from ..models.tokenizer import Tokenizer
from typing import cast

if TYPE_CHECKING:
  from ..models.history_thresholds import HistoryThresholds





T = TypeVar("T", bound="ResolvedPolicy")



@_attrs_define
class ResolvedPolicy:
    """ Settings with every default resolved.

        Attributes:
            effective_window (int): The effective window, in tokens.
            context_window (int): The context window, in tokens.
            reserved_output_tokens (int): Tokens of the window that are reserved for the answer.
            system_tokens (int): Tokens that the service does not store, as they were set.
            tokenizer (Tokenizer): A way to count tokens.
            name (PolicyName): A named set of signals.
            warn (float): Share at which a warning is given.
            compress (float): Share at which a compression starts.
            fill (float): Share of the effective window that record, digest and newest messages take after a compression.
            force (float): Share at which a compression is forced.
            critical (float): Share at which a compression is immediate.
            exam (float): Share of right answers below which an exam is low.
            messages (list[int]): Uncompressed messages: optional, compress, force.
            turns (int): Turns since the anchor.
            history (HistoryThresholds): The thresholds of the signals about history, with every default resolved.
            preserve_recent (int): Messages that always stay verbatim.
            preserve_recent_tokens (int): Tokens of the newest messages that stay verbatim, as far as the fill has room.
            min_messages (int): Uncompressed messages below which only force and above compress.
            auto (bool): Whether signals start compressions.
            mask (MaskMode): Whether tool outputs are masked.
            max_summary_tokens (int): Bound of a rendered summary, in tokens.
     """

    effective_window: int
    context_window: int
    reserved_output_tokens: int
    system_tokens: int
    tokenizer: Tokenizer
    name: PolicyName
    warn: float
    compress: float
    fill: float
    force: float
    critical: float
    exam: float
    messages: list[int]
    turns: int
    history: HistoryThresholds
    preserve_recent: int
    preserve_recent_tokens: int
    min_messages: int
    auto: bool
    mask: MaskMode
    max_summary_tokens: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.history_thresholds import HistoryThresholds # noqa: PLC0415
        effective_window = self.effective_window

        context_window = self.context_window

        reserved_output_tokens = self.reserved_output_tokens

        system_tokens = self.system_tokens

        tokenizer = self.tokenizer.value

        name = self.name.value

        warn = self.warn

        compress = self.compress

        fill = self.fill

        force = self.force

        critical = self.critical

        exam = self.exam

        messages = self.messages



        turns = self.turns

        history = self.history.to_dict()

        preserve_recent = self.preserve_recent

        preserve_recent_tokens = self.preserve_recent_tokens

        min_messages = self.min_messages

        auto = self.auto

        mask = self.mask.value

        max_summary_tokens = self.max_summary_tokens


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "effective_window": effective_window,
            "context_window": context_window,
            "reserved_output_tokens": reserved_output_tokens,
            "system_tokens": system_tokens,
            "tokenizer": tokenizer,
            "name": name,
            "warn": warn,
            "compress": compress,
            "fill": fill,
            "force": force,
            "critical": critical,
            "exam": exam,
            "messages": messages,
            "turns": turns,
            "history": history,
            "preserve_recent": preserve_recent,
            "preserve_recent_tokens": preserve_recent_tokens,
            "min_messages": min_messages,
            "auto": auto,
            "mask": mask,
            "max_summary_tokens": max_summary_tokens,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.history_thresholds import HistoryThresholds # noqa: PLC0415
        d = dict(src_dict)
        effective_window = d.pop("effective_window")

        context_window = d.pop("context_window")

        reserved_output_tokens = d.pop("reserved_output_tokens")

        system_tokens = d.pop("system_tokens")

        tokenizer = Tokenizer(d.pop("tokenizer"))




        name = PolicyName(d.pop("name"))




        warn = d.pop("warn")

        compress = d.pop("compress")

        fill = d.pop("fill")

        force = d.pop("force")

        critical = d.pop("critical")

        exam = d.pop("exam")

        messages = cast(list[int], d.pop("messages"))


        turns = d.pop("turns")

        history = HistoryThresholds.from_dict(d.pop("history"))




        preserve_recent = d.pop("preserve_recent")

        preserve_recent_tokens = d.pop("preserve_recent_tokens")

        min_messages = d.pop("min_messages")

        auto = d.pop("auto")

        mask = MaskMode(d.pop("mask"))




        max_summary_tokens = d.pop("max_summary_tokens")

        resolved_policy = cls(
            effective_window=effective_window,
            context_window=context_window,
            reserved_output_tokens=reserved_output_tokens,
            system_tokens=system_tokens,
            tokenizer=tokenizer,
            name=name,
            warn=warn,
            compress=compress,
            fill=fill,
            force=force,
            critical=critical,
            exam=exam,
            messages=messages,
            turns=turns,
            history=history,
            preserve_recent=preserve_recent,
            preserve_recent_tokens=preserve_recent_tokens,
            min_messages=min_messages,
            auto=auto,
            mask=mask,
            max_summary_tokens=max_summary_tokens,
        )


        resolved_policy.additional_properties = d
        return resolved_policy

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
