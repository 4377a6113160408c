from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.engine_choice import EngineChoice
from ..models.strategy import Strategy
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="CreateCompression")



@_attrs_define
class CreateCompression:
    """ A compression to make; absent fields follow the session's settings.

        Attributes:
            reason (None | str | Unset): The caller's reason, kept with the compression.
            strategy (None | Strategy | Unset): How the version is made; never `rollback`, and not `opaque` for critical
                sessions.
            engine (EngineChoice | None | Unset): The engine that reads the span.
            summary_model (None | str | Unset): The model that writes the summary.
            preserve_recent (int | None | Unset): Messages that stay verbatim.
            preserve_recent_tokens (int | None | Unset): Tokens of the newest messages that stay verbatim, as far as the
                fill has room; at most the effective window.
            target (float | None | Unset): Share of the effective window that record, digest and newest messages take, in
                place of `fill`. It is held below
                the compress level less 0.10, with a warning. Without it and `through_seq`, a session that is within its fill is
                `skipped` as `fits`.
            through_seq (int | None | Unset): The last message to cover.
     """

    reason: None | str | Unset = UNSET
    strategy: None | Strategy | Unset = UNSET
    engine: EngineChoice | None | Unset = UNSET
    summary_model: None | str | Unset = UNSET
    preserve_recent: int | None | Unset = UNSET
    preserve_recent_tokens: int | None | Unset = UNSET
    target: float | None | Unset = UNSET
    through_seq: int | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        reason: None | str | Unset
        if isinstance(self.reason, Unset):
            reason = UNSET
        else:
            reason = self.reason

        strategy: None | str | Unset
        if isinstance(self.strategy, Unset):
            strategy = UNSET
        elif isinstance(self.strategy, Strategy):
            strategy = self.strategy.value
        else:
            strategy = self.strategy

        engine: None | str | Unset
        if isinstance(self.engine, Unset):
            engine = UNSET
        elif isinstance(self.engine, EngineChoice):
            engine = self.engine.value
        else:
            engine = self.engine

        summary_model: None | str | Unset
        if isinstance(self.summary_model, Unset):
            summary_model = UNSET
        else:
            summary_model = self.summary_model

        preserve_recent: int | None | Unset
        if isinstance(self.preserve_recent, Unset):
            preserve_recent = UNSET
        else:
            preserve_recent = self.preserve_recent

        preserve_recent_tokens: int | None | Unset
        if isinstance(self.preserve_recent_tokens, Unset):
            preserve_recent_tokens = UNSET
        else:
            preserve_recent_tokens = self.preserve_recent_tokens

        target: float | None | Unset
        if isinstance(self.target, Unset):
            target = UNSET
        else:
            target = self.target

        through_seq: int | None | Unset
        if isinstance(self.through_seq, Unset):
            through_seq = UNSET
        else:
            through_seq = self.through_seq


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if reason is not UNSET:
            field_dict["reason"] = reason
        if strategy is not UNSET:
            field_dict["strategy"] = strategy
        if engine is not UNSET:
            field_dict["engine"] = engine
        if summary_model is not UNSET:
            field_dict["summary_model"] = summary_model
        if preserve_recent is not UNSET:
            field_dict["preserve_recent"] = preserve_recent
        if preserve_recent_tokens is not UNSET:
            field_dict["preserve_recent_tokens"] = preserve_recent_tokens
        if target is not UNSET:
            field_dict["target"] = target
        if through_seq is not UNSET:
            field_dict["through_seq"] = through_seq

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        def _parse_reason(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        reason = _parse_reason(d.pop("reason", UNSET))


        def _parse_strategy(data: object) -> None | Strategy | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                strategy_type_0 = Strategy(data)



                return strategy_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Strategy | Unset, data)

        strategy = _parse_strategy(d.pop("strategy", UNSET))


        def _parse_engine(data: object) -> EngineChoice | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                engine_type_0 = EngineChoice(data)



                return engine_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(EngineChoice | None | Unset, data)

        engine = _parse_engine(d.pop("engine", UNSET))


        def _parse_summary_model(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        summary_model = _parse_summary_model(d.pop("summary_model", UNSET))


        def _parse_preserve_recent(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        preserve_recent = _parse_preserve_recent(d.pop("preserve_recent", UNSET))


        def _parse_preserve_recent_tokens(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        preserve_recent_tokens = _parse_preserve_recent_tokens(d.pop("preserve_recent_tokens", UNSET))


        def _parse_target(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        target = _parse_target(d.pop("target", UNSET))


        def _parse_through_seq(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        through_seq = _parse_through_seq(d.pop("through_seq", UNSET))


        create_compression = cls(
            reason=reason,
            strategy=strategy,
            engine=engine,
            summary_model=summary_model,
            preserve_recent=preserve_recent,
            preserve_recent_tokens=preserve_recent_tokens,
            target=target,
            through_seq=through_seq,
        )

        return create_compression

