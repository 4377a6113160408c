from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.added_latency import AddedLatency
  from ..models.compressed_tokens import CompressedTokens
  from ..models.model_usage import ModelUsage
  from ..models.refetched_usage import RefetchedUsage
  from ..models.reported_usage import ReportedUsage





T = TypeVar("T", bound="UsageDay")



@_attrs_define
class UsageDay:
    """ The use of the tenant on one day.

        Attributes:
            requests (int): Contexts that were served: one for each call of the agent's model.
            context_tokens (int): Tokens of these contexts.
            uncompressed_tokens (int): Tokens that the whole sessions would have taken instead.
            tokens_saved (int): Tokens that the contexts were smaller by.
            total_tokens (int): Tokens of the contexts and of the engine's own model, in and out.
            tokens_per_request (float | None): `context_tokens` for each request; null without one.
            llm (ModelUsage): The use of the engine's model.
            compressed (CompressedTokens): Results of compressions: the sums of their reports.
            refetched (RefetchedUsage): Figures of what was fetched again.
            refetch_rate (float | None): Requests that fetched again, for each request for a context; null without one.
            too_aggressive (bool): Whether the re-fetch rate is above 0.20: compression removes what the agent needs.
            reported (ReportedUsage): The provider's figures, as callers reported them.
            appends (int): Batches that were appended.
            appended_tokens (int): Their tokens.
            appended_messages (int): Their messages.
            stored_bytes (int): Bytes of their texts and vectors, less those of sessions that were erased in the time of the
                report.
            latency (AddedLatency): What the service adds to the agent's time: from a request's arrival at its operation
                until its reply
                is made. Compressions run beside the agent and are not in it.
            day (datetime.date): The day in UTC.
     """

    requests: int
    context_tokens: int
    uncompressed_tokens: int
    tokens_saved: int
    total_tokens: int
    tokens_per_request: float | None
    llm: ModelUsage
    compressed: CompressedTokens
    refetched: RefetchedUsage
    refetch_rate: float | None
    too_aggressive: bool
    reported: ReportedUsage
    appends: int
    appended_tokens: int
    appended_messages: int
    stored_bytes: int
    latency: AddedLatency
    day: datetime.date
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.added_latency import AddedLatency # noqa: PLC0415
        from ..models.compressed_tokens import CompressedTokens # noqa: PLC0415
        from ..models.model_usage import ModelUsage # noqa: PLC0415
        from ..models.refetched_usage import RefetchedUsage # noqa: PLC0415
        from ..models.reported_usage import ReportedUsage # noqa: PLC0415
        requests = self.requests

        context_tokens = self.context_tokens

        uncompressed_tokens = self.uncompressed_tokens

        tokens_saved = self.tokens_saved

        total_tokens = self.total_tokens

        tokens_per_request: float | None
        tokens_per_request = self.tokens_per_request

        llm = self.llm.to_dict()

        compressed = self.compressed.to_dict()

        refetched = self.refetched.to_dict()

        refetch_rate: float | None
        refetch_rate = self.refetch_rate

        too_aggressive = self.too_aggressive

        reported = self.reported.to_dict()

        appends = self.appends

        appended_tokens = self.appended_tokens

        appended_messages = self.appended_messages

        stored_bytes = self.stored_bytes

        latency = self.latency.to_dict()

        day = self.day.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "requests": requests,
            "context_tokens": context_tokens,
            "uncompressed_tokens": uncompressed_tokens,
            "tokens_saved": tokens_saved,
            "total_tokens": total_tokens,
            "tokens_per_request": tokens_per_request,
            "llm": llm,
            "compressed": compressed,
            "refetched": refetched,
            "refetch_rate": refetch_rate,
            "too_aggressive": too_aggressive,
            "reported": reported,
            "appends": appends,
            "appended_tokens": appended_tokens,
            "appended_messages": appended_messages,
            "stored_bytes": stored_bytes,
            "latency": latency,
            "day": day,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.added_latency import AddedLatency # noqa: PLC0415
        from ..models.compressed_tokens import CompressedTokens # noqa: PLC0415
        from ..models.model_usage import ModelUsage # noqa: PLC0415
        from ..models.refetched_usage import RefetchedUsage # noqa: PLC0415
        from ..models.reported_usage import ReportedUsage # noqa: PLC0415
        d = dict(src_dict)
        requests = d.pop("requests")

        context_tokens = d.pop("context_tokens")

        uncompressed_tokens = d.pop("uncompressed_tokens")

        tokens_saved = d.pop("tokens_saved")

        total_tokens = d.pop("total_tokens")

        def _parse_tokens_per_request(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        tokens_per_request = _parse_tokens_per_request(d.pop("tokens_per_request"))


        llm = ModelUsage.from_dict(d.pop("llm"))




        compressed = CompressedTokens.from_dict(d.pop("compressed"))




        refetched = RefetchedUsage.from_dict(d.pop("refetched"))




        def _parse_refetch_rate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        refetch_rate = _parse_refetch_rate(d.pop("refetch_rate"))


        too_aggressive = d.pop("too_aggressive")

        reported = ReportedUsage.from_dict(d.pop("reported"))




        appends = d.pop("appends")

        appended_tokens = d.pop("appended_tokens")

        appended_messages = d.pop("appended_messages")

        stored_bytes = d.pop("stored_bytes")

        latency = AddedLatency.from_dict(d.pop("latency"))




        day = datetime.date.fromisoformat(d.pop("day"))




        usage_day = cls(
            requests=requests,
            context_tokens=context_tokens,
            uncompressed_tokens=uncompressed_tokens,
            tokens_saved=tokens_saved,
            total_tokens=total_tokens,
            tokens_per_request=tokens_per_request,
            llm=llm,
            compressed=compressed,
            refetched=refetched,
            refetch_rate=refetch_rate,
            too_aggressive=too_aggressive,
            reported=reported,
            appends=appends,
            appended_tokens=appended_tokens,
            appended_messages=appended_messages,
            stored_bytes=stored_bytes,
            latency=latency,
            day=day,
        )


        usage_day.additional_properties = d
        return usage_day

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
