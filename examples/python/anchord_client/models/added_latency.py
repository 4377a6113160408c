from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="AddedLatency")



@_attrs_define
class AddedLatency:
    """ What the service adds to the agent's time: from a request's arrival at its operation until its reply
    is made. Compressions run beside the agent and are not in it.

        Attributes:
            context_ms_per_request (float | None): Milliseconds for each context; null without one.
            append_ms_per_request (float | None): Milliseconds for each append; null without one.
            total_ms (float): Milliseconds of all of them.
            share (float | None): Share of the time that the sessions were at work, from the first to the last request of
                each
                session and day; null when that is not known.
     """

    context_ms_per_request: float | None
    append_ms_per_request: float | None
    total_ms: float
    share: float | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        context_ms_per_request: float | None
        context_ms_per_request = self.context_ms_per_request

        append_ms_per_request: float | None
        append_ms_per_request = self.append_ms_per_request

        total_ms = self.total_ms

        share: float | None
        share = self.share


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "context_ms_per_request": context_ms_per_request,
            "append_ms_per_request": append_ms_per_request,
            "total_ms": total_ms,
            "share": share,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_context_ms_per_request(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        context_ms_per_request = _parse_context_ms_per_request(d.pop("context_ms_per_request"))


        def _parse_append_ms_per_request(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        append_ms_per_request = _parse_append_ms_per_request(d.pop("append_ms_per_request"))


        total_ms = d.pop("total_ms")

        def _parse_share(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        share = _parse_share(d.pop("share"))


        added_latency = cls(
            context_ms_per_request=context_ms_per_request,
            append_ms_per_request=append_ms_per_request,
            total_ms=total_ms,
            share=share,
        )


        added_latency.additional_properties = d
        return added_latency

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
