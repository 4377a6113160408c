from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.message_format import MessageFormat
from ..models.summary_form import SummaryForm
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.context_tokens import ContextTokens
  from ..models.context_usage import ContextUsage
  from ..models.masked_output import MaskedOutput
  from ..models.message import Message
  from ..models.omitted_range import OmittedRange
  from ..models.stable_prefix import StablePrefix
  from ..models.warning import Warning_





T = TypeVar("T", bound="Context")



@_attrs_define
class Context:
    """ An assembled context.

        Attributes:
            session_id (str): The caller's name for a session (`session_id` in the API), unique per tenant.
            format_ (MessageFormat): A conversation format, in and out.
            summary_version (int | None): The summary version that it shows; null when there is none.
            anchor_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            head_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            messages (list[Message]): The messages, in the format's own shape.
            sources (list[list[int] | None]): Parallel to `messages`: the messages that each came from; null for what the
                service wrote.
            tokens (ContextTokens): Tokens of a context by component.
            max_input_tokens (int): The budget: the most tokens that this context may have.
            within_budget (bool): Whether the budget is kept; always true.
            pending_tool_calls (list[str]): Ids of calls that wait for their results, at the head.
            context_revision (int): Grows with every change of pins, notes or settings.
            masked (list[MaskedOutput]): Tool outputs that are served as placeholders.
            omitted (list[OmittedRange]): Messages that are not served, or not in full.
            stable_prefix (StablePrefix): The part of a context that stays the same until the next version or revision.
            usage (ContextUsage): How full the context is, as every append and read of a session reports it.
            branch (None | str | Unset): The branch; absent when it is main.
            summary_form (None | SummaryForm | Unset): How much of it the budget holds; absent without a summary.
            system (Any | Unset): The system prompt, where the format keeps it apart: a text, or with `cache_control` a list
                of blocks.
            warnings (list[Warning_] | Unset): Warnings about the window, until it is told; absent when there are none.
     """

    session_id: str
    format_: MessageFormat
    summary_version: int | None
    anchor_seq: int
    head_seq: int
    messages: list[Message]
    sources: list[list[int] | None]
    tokens: ContextTokens
    max_input_tokens: int
    within_budget: bool
    pending_tool_calls: list[str]
    context_revision: int
    masked: list[MaskedOutput]
    omitted: list[OmittedRange]
    stable_prefix: StablePrefix
    usage: ContextUsage
    branch: None | str | Unset = UNSET
    summary_form: None | SummaryForm | Unset = UNSET
    system: Any | Unset = UNSET
    warnings: list[Warning_] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.context_tokens import ContextTokens # noqa: PLC0415
        from ..models.context_usage import ContextUsage # noqa: PLC0415
        from ..models.masked_output import MaskedOutput # noqa: PLC0415
        from ..models.message import Message # noqa: PLC0415
        from ..models.omitted_range import OmittedRange # noqa: PLC0415
        from ..models.stable_prefix import StablePrefix # noqa: PLC0415
        from ..models.warning import Warning_ # noqa: PLC0415
        session_id = self.session_id

        format_ = self.format_.value

        summary_version: int | None
        summary_version = self.summary_version

        anchor_seq = self.anchor_seq

        head_seq = self.head_seq

        messages = []
        for messages_item_data in self.messages:
            messages_item = messages_item_data.to_dict()
            messages.append(messages_item)



        sources = []
        for sources_item_data in self.sources:
            sources_item: list[int] | None
            if isinstance(sources_item_data, list):
                sources_item = sources_item_data


            else:
                sources_item = sources_item_data
            sources.append(sources_item)



        tokens = self.tokens.to_dict()

        max_input_tokens = self.max_input_tokens

        within_budget = self.within_budget

        pending_tool_calls = self.pending_tool_calls



        context_revision = self.context_revision

        masked = []
        for masked_item_data in self.masked:
            masked_item = masked_item_data.to_dict()
            masked.append(masked_item)



        omitted = []
        for omitted_item_data in self.omitted:
            omitted_item = omitted_item_data.to_dict()
            omitted.append(omitted_item)



        stable_prefix = self.stable_prefix.to_dict()

        usage = self.usage.to_dict()

        branch: None | str | Unset
        if isinstance(self.branch, Unset):
            branch = UNSET
        else:
            branch = self.branch

        summary_form: None | str | Unset
        if isinstance(self.summary_form, Unset):
            summary_form = UNSET
        elif isinstance(self.summary_form, SummaryForm):
            summary_form = self.summary_form.value
        else:
            summary_form = self.summary_form

        system = self.system

        warnings: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.warnings, Unset):
            warnings = []
            for warnings_item_data in self.warnings:
                warnings_item = warnings_item_data.to_dict()
                warnings.append(warnings_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "session_id": session_id,
            "format": format_,
            "summary_version": summary_version,
            "anchor_seq": anchor_seq,
            "head_seq": head_seq,
            "messages": messages,
            "sources": sources,
            "tokens": tokens,
            "max_input_tokens": max_input_tokens,
            "within_budget": within_budget,
            "pending_tool_calls": pending_tool_calls,
            "context_revision": context_revision,
            "masked": masked,
            "omitted": omitted,
            "stable_prefix": stable_prefix,
            "usage": usage,
        })
        if branch is not UNSET:
            field_dict["branch"] = branch
        if summary_form is not UNSET:
            field_dict["summary_form"] = summary_form
        if system is not UNSET:
            field_dict["system"] = system
        if warnings is not UNSET:
            field_dict["warnings"] = warnings

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.context_tokens import ContextTokens # noqa: PLC0415
        from ..models.context_usage import ContextUsage # noqa: PLC0415
        from ..models.masked_output import MaskedOutput # noqa: PLC0415
        from ..models.message import Message # noqa: PLC0415
        from ..models.omitted_range import OmittedRange # noqa: PLC0415
        from ..models.stable_prefix import StablePrefix # noqa: PLC0415
        from ..models.warning import Warning_ # noqa: PLC0415
        d = dict(src_dict)
        session_id = d.pop("session_id")

        format_ = MessageFormat(d.pop("format"))




        def _parse_summary_version(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        summary_version = _parse_summary_version(d.pop("summary_version"))


        anchor_seq = d.pop("anchor_seq")

        head_seq = d.pop("head_seq")

        messages = []
        _messages = d.pop("messages")
        for messages_item_data in (_messages):
            messages_item = Message.from_dict(messages_item_data)



            messages.append(messages_item)


        sources = []
        _sources = d.pop("sources")
        for sources_item_data in (_sources):
            def _parse_sources_item(data: object) -> list[int] | None:
                if data is None:
                    return data
                try:
                    if not isinstance(data, list):
                        raise TypeError()
                    sources_item_type_0 = cast(list[int], data)

                    return sources_item_type_0
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                return cast(list[int] | None, data)

            sources_item = _parse_sources_item(sources_item_data)

            sources.append(sources_item)


        tokens = ContextTokens.from_dict(d.pop("tokens"))




        max_input_tokens = d.pop("max_input_tokens")

        within_budget = d.pop("within_budget")

        pending_tool_calls = cast(list[str], d.pop("pending_tool_calls"))


        context_revision = d.pop("context_revision")

        masked = []
        _masked = d.pop("masked")
        for masked_item_data in (_masked):
            masked_item = MaskedOutput.from_dict(masked_item_data)



            masked.append(masked_item)


        omitted = []
        _omitted = d.pop("omitted")
        for omitted_item_data in (_omitted):
            omitted_item = OmittedRange.from_dict(omitted_item_data)



            omitted.append(omitted_item)


        stable_prefix = StablePrefix.from_dict(d.pop("stable_prefix"))




        usage = ContextUsage.from_dict(d.pop("usage"))




        def _parse_branch(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        branch = _parse_branch(d.pop("branch", UNSET))


        def _parse_summary_form(data: object) -> None | SummaryForm | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                summary_form_type_0 = SummaryForm(data)



                return summary_form_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | SummaryForm | Unset, data)

        summary_form = _parse_summary_form(d.pop("summary_form", UNSET))


        system = d.pop("system", UNSET)

        _warnings = d.pop("warnings", UNSET)
        warnings: list[Warning_] | Unset = UNSET
        if _warnings is not UNSET:
            warnings = []
            for warnings_item_data in _warnings:
                warnings_item = Warning_.from_dict(warnings_item_data)



                warnings.append(warnings_item)


        context = cls(
            session_id=session_id,
            format_=format_,
            summary_version=summary_version,
            anchor_seq=anchor_seq,
            head_seq=head_seq,
            messages=messages,
            sources=sources,
            tokens=tokens,
            max_input_tokens=max_input_tokens,
            within_budget=within_budget,
            pending_tool_calls=pending_tool_calls,
            context_revision=context_revision,
            masked=masked,
            omitted=omitted,
            stable_prefix=stable_prefix,
            usage=usage,
            branch=branch,
            summary_form=summary_form,
            system=system,
            warnings=warnings,
        )


        context.additional_properties = d
        return context

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
