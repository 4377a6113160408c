from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.engine import Engine
from ..models.phase import Phase
from ..models.strategy import Strategy
from ..models.verifiability import Verifiability
from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.exam_scores import ExamScores





T = TypeVar("T", bound="SummaryVersion")



@_attrs_define
class SummaryVersion:
    """ A version in the history.

        Attributes:
            version (int): Its number in the session: 1, 2, 3 …
            strategy (Strategy): What a compression reads and what it makes of it.
            verifiable (Verifiability): How far a version can be checked against the originals.
            engine (Engine): The engine that read the span of a version.
            compression_count (int): Versions published by a compression so far, this one included.
            last_compressed_at (datetime.datetime): When it was published.
            from_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            through_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            tokens_before (int): Record and digest of the version before plus the span, as contexts would serve them, in
                tokens.
            tokens_after (int): Its record and digest when it was made, as contexts serve them, in tokens.
            max_tokens (int): The most tokens that its rendering was given.
            reduction (float | None): The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 %
                fewer, four to one.
            warnings (list[str]): Warnings about it.
            current (bool): Whether it is the current one.
            created_at (datetime.datetime): When it was made; later than `last_compressed_at` for a rollback.
            parent_version (int | None | Unset): The version that it was merged into.
            model (None | str | Unset): The model, when one was asked.
            probe_score (float | None | Unset): The share of the probes that passed, from 0 to 1; absent without probes.
            facts_score (float | None | Unset): The same of the probes that ask for facts which code found.
            exam (ExamScores | None | Unset): How a reader did in an exam that was written from the messages; absent without
                one.
            phase (None | Phase | Unset): The phase of the work that it was made in, which decides how it is rendered.
     """

    version: int
    strategy: Strategy
    verifiable: Verifiability
    engine: Engine
    compression_count: int
    last_compressed_at: datetime.datetime
    from_seq: int
    through_seq: int
    tokens_before: int
    tokens_after: int
    max_tokens: int
    reduction: float | None
    warnings: list[str]
    current: bool
    created_at: datetime.datetime
    parent_version: int | None | Unset = UNSET
    model: None | str | Unset = UNSET
    probe_score: float | None | Unset = UNSET
    facts_score: float | None | Unset = UNSET
    exam: ExamScores | None | Unset = UNSET
    phase: None | Phase | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.exam_scores import ExamScores # noqa: PLC0415
        version = self.version

        strategy = self.strategy.value

        verifiable = self.verifiable.value

        engine = self.engine.value

        compression_count = self.compression_count

        last_compressed_at = self.last_compressed_at.isoformat()

        from_seq = self.from_seq

        through_seq = self.through_seq

        tokens_before = self.tokens_before

        tokens_after = self.tokens_after

        max_tokens = self.max_tokens

        reduction: float | None
        reduction = self.reduction

        warnings = self.warnings



        current = self.current

        created_at = self.created_at.isoformat()

        parent_version: int | None | Unset
        if isinstance(self.parent_version, Unset):
            parent_version = UNSET
        else:
            parent_version = self.parent_version

        model: None | str | Unset
        if isinstance(self.model, Unset):
            model = UNSET
        else:
            model = self.model

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

        exam: dict[str, Any] | None | Unset
        if isinstance(self.exam, Unset):
            exam = UNSET
        elif isinstance(self.exam, ExamScores):
            exam = self.exam.to_dict()
        else:
            exam = self.exam

        phase: None | str | Unset
        if isinstance(self.phase, Unset):
            phase = UNSET
        elif isinstance(self.phase, Phase):
            phase = self.phase.value
        else:
            phase = self.phase


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "version": version,
            "strategy": strategy,
            "verifiable": verifiable,
            "engine": engine,
            "compression_count": compression_count,
            "last_compressed_at": last_compressed_at,
            "from_seq": from_seq,
            "through_seq": through_seq,
            "tokens_before": tokens_before,
            "tokens_after": tokens_after,
            "max_tokens": max_tokens,
            "reduction": reduction,
            "warnings": warnings,
            "current": current,
            "created_at": created_at,
        })
        if parent_version is not UNSET:
            field_dict["parent_version"] = parent_version
        if model is not UNSET:
            field_dict["model"] = model
        if probe_score is not UNSET:
            field_dict["probe_score"] = probe_score
        if facts_score is not UNSET:
            field_dict["facts_score"] = facts_score
        if exam is not UNSET:
            field_dict["exam"] = exam
        if phase is not UNSET:
            field_dict["phase"] = phase

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.exam_scores import ExamScores # noqa: PLC0415
        d = dict(src_dict)
        version = d.pop("version")

        strategy = Strategy(d.pop("strategy"))




        verifiable = Verifiability(d.pop("verifiable"))




        engine = Engine(d.pop("engine"))




        compression_count = d.pop("compression_count")

        last_compressed_at = datetime.datetime.fromisoformat(d.pop("last_compressed_at"))




        from_seq = d.pop("from_seq")

        through_seq = d.pop("through_seq")

        tokens_before = d.pop("tokens_before")

        tokens_after = d.pop("tokens_after")

        max_tokens = d.pop("max_tokens")

        def _parse_reduction(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        reduction = _parse_reduction(d.pop("reduction"))


        warnings = cast(list[str], d.pop("warnings"))


        current = d.pop("current")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        def _parse_parent_version(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        parent_version = _parse_parent_version(d.pop("parent_version", UNSET))


        def _parse_model(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        model = _parse_model(d.pop("model", UNSET))


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


        def _parse_exam(data: object) -> ExamScores | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                exam_type_0 = ExamScores.from_dict(data)



                return exam_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ExamScores | None | Unset, data)

        exam = _parse_exam(d.pop("exam", UNSET))


        def _parse_phase(data: object) -> None | Phase | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                phase_type_0 = Phase(data)



                return phase_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Phase | Unset, data)

        phase = _parse_phase(d.pop("phase", UNSET))


        summary_version = cls(
            version=version,
            strategy=strategy,
            verifiable=verifiable,
            engine=engine,
            compression_count=compression_count,
            last_compressed_at=last_compressed_at,
            from_seq=from_seq,
            through_seq=through_seq,
            tokens_before=tokens_before,
            tokens_after=tokens_after,
            max_tokens=max_tokens,
            reduction=reduction,
            warnings=warnings,
            current=current,
            created_at=created_at,
            parent_version=parent_version,
            model=model,
            probe_score=probe_score,
            facts_score=facts_score,
            exam=exam,
            phase=phase,
        )


        summary_version.additional_properties = d
        return summary_version

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
