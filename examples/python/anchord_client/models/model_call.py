from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
from uuid import UUID
import datetime






T = TypeVar("T", bound="ModelCall")



@_attrs_define
class ModelCall:
    """ One call to a model's server, a failed one too.

        Attributes:
            id (UUID): Its id.
            attempt (int): Which claim of the compression sent it, from 1.
            purpose (str): `summarise`, `repair`, `detail`, `probe`, `examine`, `read` or `judge`.
            from_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            through_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            provider (str): The wire format.
            model (str): The model.
            outcome (str): `ok`, the error's word, or `sent` when its worker died over it.
            http_status (int | None): The server's status, when it answered with an error.
            input_tokens (int): Tokens in, as the server counts them.
            cached_tokens (int): The part of them that the server read from its cache.
            output_tokens (int): Tokens out.
            latency_ms (int): The duration, in milliseconds.
            cost_micros (int): Its cost, in millionths of the currency of the operator's prices.
            created_at (datetime.datetime): When it was sent.
     """

    id: UUID
    attempt: int
    purpose: str
    from_seq: int
    through_seq: int
    provider: str
    model: str
    outcome: str
    http_status: int | None
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    latency_ms: int
    cost_micros: int
    created_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = str(self.id)

        attempt = self.attempt

        purpose = self.purpose

        from_seq = self.from_seq

        through_seq = self.through_seq

        provider = self.provider

        model = self.model

        outcome = self.outcome

        http_status: int | None
        http_status = self.http_status

        input_tokens = self.input_tokens

        cached_tokens = self.cached_tokens

        output_tokens = self.output_tokens

        latency_ms = self.latency_ms

        cost_micros = self.cost_micros

        created_at = self.created_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "attempt": attempt,
            "purpose": purpose,
            "from_seq": from_seq,
            "through_seq": through_seq,
            "provider": provider,
            "model": model,
            "outcome": outcome,
            "http_status": http_status,
            "input_tokens": input_tokens,
            "cached_tokens": cached_tokens,
            "output_tokens": output_tokens,
            "latency_ms": latency_ms,
            "cost_micros": cost_micros,
            "created_at": created_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = UUID(d.pop("id"))




        attempt = d.pop("attempt")

        purpose = d.pop("purpose")

        from_seq = d.pop("from_seq")

        through_seq = d.pop("through_seq")

        provider = d.pop("provider")

        model = d.pop("model")

        outcome = d.pop("outcome")

        def _parse_http_status(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        http_status = _parse_http_status(d.pop("http_status"))


        input_tokens = d.pop("input_tokens")

        cached_tokens = d.pop("cached_tokens")

        output_tokens = d.pop("output_tokens")

        latency_ms = d.pop("latency_ms")

        cost_micros = d.pop("cost_micros")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        model_call = cls(
            id=id,
            attempt=attempt,
            purpose=purpose,
            from_seq=from_seq,
            through_seq=through_seq,
            provider=provider,
            model=model,
            outcome=outcome,
            http_status=http_status,
            input_tokens=input_tokens,
            cached_tokens=cached_tokens,
            output_tokens=output_tokens,
            latency_ms=latency_ms,
            cost_micros=cost_micros,
            created_at=created_at,
        )


        model_call.additional_properties = d
        return model_call

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
