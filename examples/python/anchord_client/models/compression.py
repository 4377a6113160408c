from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.compression_status import CompressionStatus
from ..models.engine import Engine
from ..models.job_kind import JobKind
from ..models.strategy import Strategy
from ..models.verifiability import Verifiability
from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.compression_error import CompressionError
  from ..models.compression_timings import CompressionTimings
  from ..models.exam_scores import ExamScores
  from ..models.gate_record import GateRecord
  from ..models.model_answer_counts import ModelAnswerCounts
  from ..models.model_cost import ModelCost
  from ..models.quality_flag import QualityFlag





T = TypeVar("T", bound="Compression")



@_attrs_define
class Compression:
    """ One attempt to make the next summary version, or to evaluate one.

        Attributes:
            reduction (float | None): The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`. 0.75 is 75 %
                fewer, four to one.
            id (str): An id that starts with `cmp_`.
            session_id (str): The caller's name for a session (`session_id` in the API), unique per tenant.
            kind (JobKind): The work of a job.
            status (CompressionStatus): How far a compression is.
            strategy (Strategy): What a compression reads and what it makes of it.
            verifiable (Verifiability): How far a version can be checked against the originals.
            trigger (str): Its cause: `manual`, or the signal's name.
            reason (None | str): The caller's reason.
            from_seq (int | None): The first message of the span; null until a worker has fixed it.
            through_seq (int | None): The last message of the span.
            version (int | None): The version that it made or evaluated; null when there is none.
            attempts (int): How many times a worker has started it.
            flags (list[QualityFlag]): Figures outside their targets.
            created_at (datetime.datetime): When it was requested.
            started_at (datetime.datetime | None): When a worker first started it.
            finished_at (datetime.datetime | None): When it ended.
            strategy_used (None | Strategy | Unset): The strategy of the last candidate: another one than was asked for when
                the gate fell back.
            engine (Engine | None | Unset): Who read the span.
            model (None | str | Unset): The model that read it.
            tokens_before (int | None | Unset): Record and digest of the version before plus the span, as contexts would
                serve them, in tokens.
            tokens_after (int | None | Unset): Record and digest of the new version, as contexts serve them, in tokens.
            context_tokens_before (int | None | Unset): Tokens of a default context before: `usage.context_tokens` of the
                session then.
            context_tokens_after (int | None | Unset): The same after.
            target_met (bool | None | Unset): Whether the context is at or below the target.
            probe_score (float | None | Unset): The share of the probes that passed, from 0 to 1.
            facts_score (float | None | Unset): The same of the probes that ask for facts which code found.
            exam (ExamScores | None | Unset): How a reader did in an exam that was written from the messages; null without
                one.
            probes_asked (int | Unset): The number of probes. Default: 0.
            probes_failed (int | Unset): Probes failed. Default: 0.
            probes_cut (int | Unset): Probes whose fact the rendering's bound cut. Default: 0.
            critical_failed (int | Unset): Critical probes failed. Default: 0.
            callers_failed (int | Unset): The caller's own probes that failed. Default: 0.
            rubric (float | None | Unset): The judge's overall score, 0 to 5; absent without a judge.
            entries (ModelAnswerCounts | None | Unset): How much of the model's answer was published, and what was not;
                absent when no model was asked.
            warnings (list[str] | Unset): Warnings for the reader.
            gate (list[GateRecord] | Unset): The gate's decisions, candidate by candidate.
            error (CompressionError | None | Unset): Why nothing was published.
            cost (ModelCost | Unset): Tokens and calls that the engine's LLM used.
            timings (CompressionTimings | Unset): The durations of the steps, in milliseconds.
     """

    reduction: float | None
    id: str
    session_id: str
    kind: JobKind
    status: CompressionStatus
    strategy: Strategy
    verifiable: Verifiability
    trigger: str
    reason: None | str
    from_seq: int | None
    through_seq: int | None
    version: int | None
    attempts: int
    flags: list[QualityFlag]
    created_at: datetime.datetime
    started_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    strategy_used: None | Strategy | Unset = UNSET
    engine: Engine | None | Unset = UNSET
    model: None | str | Unset = UNSET
    tokens_before: int | None | Unset = UNSET
    tokens_after: int | None | Unset = UNSET
    context_tokens_before: int | None | Unset = UNSET
    context_tokens_after: int | None | Unset = UNSET
    target_met: bool | None | Unset = UNSET
    probe_score: float | None | Unset = UNSET
    facts_score: float | None | Unset = UNSET
    exam: ExamScores | None | Unset = UNSET
    probes_asked: int | Unset = 0
    probes_failed: int | Unset = 0
    probes_cut: int | Unset = 0
    critical_failed: int | Unset = 0
    callers_failed: int | Unset = 0
    rubric: float | None | Unset = UNSET
    entries: ModelAnswerCounts | None | Unset = UNSET
    warnings: list[str] | Unset = UNSET
    gate: list[GateRecord] | Unset = UNSET
    error: CompressionError | None | Unset = UNSET
    cost: ModelCost | Unset = UNSET
    timings: CompressionTimings | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.compression_error import CompressionError # noqa: PLC0415
        from ..models.compression_timings import CompressionTimings # noqa: PLC0415
        from ..models.exam_scores import ExamScores # noqa: PLC0415
        from ..models.gate_record import GateRecord # noqa: PLC0415
        from ..models.model_answer_counts import ModelAnswerCounts # noqa: PLC0415
        from ..models.model_cost import ModelCost # noqa: PLC0415
        from ..models.quality_flag import QualityFlag # noqa: PLC0415
        reduction: float | None
        reduction = self.reduction

        id = self.id

        session_id = self.session_id

        kind = self.kind.value

        status = self.status.value

        strategy = self.strategy.value

        verifiable = self.verifiable.value

        trigger = self.trigger

        reason: None | str
        reason = self.reason

        from_seq: int | None
        from_seq = self.from_seq

        through_seq: int | None
        through_seq = self.through_seq

        version: int | None
        version = self.version

        attempts = self.attempts

        flags = []
        for flags_item_data in self.flags:
            flags_item = flags_item_data.to_dict()
            flags.append(flags_item)



        created_at = self.created_at.isoformat()

        started_at: None | str
        if isinstance(self.started_at, datetime.datetime):
            started_at = self.started_at.isoformat()
        else:
            started_at = self.started_at

        finished_at: None | str
        if isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at

        strategy_used: None | str | Unset
        if isinstance(self.strategy_used, Unset):
            strategy_used = UNSET
        elif isinstance(self.strategy_used, Strategy):
            strategy_used = self.strategy_used.value
        else:
            strategy_used = self.strategy_used

        engine: None | str | Unset
        if isinstance(self.engine, Unset):
            engine = UNSET
        elif isinstance(self.engine, Engine):
            engine = self.engine.value
        else:
            engine = self.engine

        model: None | str | Unset
        if isinstance(self.model, Unset):
            model = UNSET
        else:
            model = self.model

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

        context_tokens_before: int | None | Unset
        if isinstance(self.context_tokens_before, Unset):
            context_tokens_before = UNSET
        else:
            context_tokens_before = self.context_tokens_before

        context_tokens_after: int | None | Unset
        if isinstance(self.context_tokens_after, Unset):
            context_tokens_after = UNSET
        else:
            context_tokens_after = self.context_tokens_after

        target_met: bool | None | Unset
        if isinstance(self.target_met, Unset):
            target_met = UNSET
        else:
            target_met = self.target_met

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

        probes_asked = self.probes_asked

        probes_failed = self.probes_failed

        probes_cut = self.probes_cut

        critical_failed = self.critical_failed

        callers_failed = self.callers_failed

        rubric: float | None | Unset
        if isinstance(self.rubric, Unset):
            rubric = UNSET
        else:
            rubric = self.rubric

        entries: dict[str, Any] | None | Unset
        if isinstance(self.entries, Unset):
            entries = UNSET
        elif isinstance(self.entries, ModelAnswerCounts):
            entries = self.entries.to_dict()
        else:
            entries = self.entries

        warnings: list[str] | Unset = UNSET
        if not isinstance(self.warnings, Unset):
            warnings = self.warnings



        gate: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.gate, Unset):
            gate = []
            for gate_item_data in self.gate:
                gate_item = gate_item_data.to_dict()
                gate.append(gate_item)



        error: dict[str, Any] | None | Unset
        if isinstance(self.error, Unset):
            error = UNSET
        elif isinstance(self.error, CompressionError):
            error = self.error.to_dict()
        else:
            error = self.error

        cost: dict[str, Any] | Unset = UNSET
        if not isinstance(self.cost, Unset):
            cost = self.cost.to_dict()

        timings: dict[str, Any] | Unset = UNSET
        if not isinstance(self.timings, Unset):
            timings = self.timings.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "reduction": reduction,
            "id": id,
            "session_id": session_id,
            "kind": kind,
            "status": status,
            "strategy": strategy,
            "verifiable": verifiable,
            "trigger": trigger,
            "reason": reason,
            "from_seq": from_seq,
            "through_seq": through_seq,
            "version": version,
            "attempts": attempts,
            "flags": flags,
            "created_at": created_at,
            "started_at": started_at,
            "finished_at": finished_at,
        })
        if strategy_used is not UNSET:
            field_dict["strategy_used"] = strategy_used
        if engine is not UNSET:
            field_dict["engine"] = engine
        if model is not UNSET:
            field_dict["model"] = model
        if tokens_before is not UNSET:
            field_dict["tokens_before"] = tokens_before
        if tokens_after is not UNSET:
            field_dict["tokens_after"] = tokens_after
        if context_tokens_before is not UNSET:
            field_dict["context_tokens_before"] = context_tokens_before
        if context_tokens_after is not UNSET:
            field_dict["context_tokens_after"] = context_tokens_after
        if target_met is not UNSET:
            field_dict["target_met"] = target_met
        if probe_score is not UNSET:
            field_dict["probe_score"] = probe_score
        if facts_score is not UNSET:
            field_dict["facts_score"] = facts_score
        if exam is not UNSET:
            field_dict["exam"] = exam
        if probes_asked is not UNSET:
            field_dict["probes_asked"] = probes_asked
        if probes_failed is not UNSET:
            field_dict["probes_failed"] = probes_failed
        if probes_cut is not UNSET:
            field_dict["probes_cut"] = probes_cut
        if critical_failed is not UNSET:
            field_dict["critical_failed"] = critical_failed
        if callers_failed is not UNSET:
            field_dict["callers_failed"] = callers_failed
        if rubric is not UNSET:
            field_dict["rubric"] = rubric
        if entries is not UNSET:
            field_dict["entries"] = entries
        if warnings is not UNSET:
            field_dict["warnings"] = warnings
        if gate is not UNSET:
            field_dict["gate"] = gate
        if error is not UNSET:
            field_dict["error"] = error
        if cost is not UNSET:
            field_dict["cost"] = cost
        if timings is not UNSET:
            field_dict["timings"] = timings

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.compression_error import CompressionError # noqa: PLC0415
        from ..models.compression_timings import CompressionTimings # noqa: PLC0415
        from ..models.exam_scores import ExamScores # noqa: PLC0415
        from ..models.gate_record import GateRecord # noqa: PLC0415
        from ..models.model_answer_counts import ModelAnswerCounts # noqa: PLC0415
        from ..models.model_cost import ModelCost # noqa: PLC0415
        from ..models.quality_flag import QualityFlag # noqa: PLC0415
        d = dict(src_dict)
        def _parse_reduction(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        reduction = _parse_reduction(d.pop("reduction"))


        id = d.pop("id")

        session_id = d.pop("session_id")

        kind = JobKind(d.pop("kind"))




        status = CompressionStatus(d.pop("status"))




        strategy = Strategy(d.pop("strategy"))




        verifiable = Verifiability(d.pop("verifiable"))




        trigger = d.pop("trigger")

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))


        def _parse_from_seq(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        from_seq = _parse_from_seq(d.pop("from_seq"))


        def _parse_through_seq(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        through_seq = _parse_through_seq(d.pop("through_seq"))


        def _parse_version(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        version = _parse_version(d.pop("version"))


        attempts = d.pop("attempts")

        flags = []
        _flags = d.pop("flags")
        for flags_item_data in (_flags):
            flags_item = QualityFlag.from_dict(flags_item_data)



            flags.append(flags_item)


        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        def _parse_started_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                started_at_type_0 = datetime.datetime.fromisoformat(data)



                return started_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        started_at = _parse_started_at(d.pop("started_at"))


        def _parse_finished_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                finished_at_type_0 = datetime.datetime.fromisoformat(data)



                return finished_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        finished_at = _parse_finished_at(d.pop("finished_at"))


        def _parse_strategy_used(data: object) -> None | Strategy | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                strategy_used_type_0 = Strategy(data)



                return strategy_used_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Strategy | Unset, data)

        strategy_used = _parse_strategy_used(d.pop("strategy_used", UNSET))


        def _parse_engine(data: object) -> Engine | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                engine_type_0 = Engine(data)



                return engine_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Engine | None | Unset, data)

        engine = _parse_engine(d.pop("engine", UNSET))


        def _parse_model(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        model = _parse_model(d.pop("model", UNSET))


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


        def _parse_context_tokens_before(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        context_tokens_before = _parse_context_tokens_before(d.pop("context_tokens_before", UNSET))


        def _parse_context_tokens_after(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        context_tokens_after = _parse_context_tokens_after(d.pop("context_tokens_after", UNSET))


        def _parse_target_met(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        target_met = _parse_target_met(d.pop("target_met", UNSET))


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


        probes_asked = d.pop("probes_asked", UNSET)

        probes_failed = d.pop("probes_failed", UNSET)

        probes_cut = d.pop("probes_cut", UNSET)

        critical_failed = d.pop("critical_failed", UNSET)

        callers_failed = d.pop("callers_failed", UNSET)

        def _parse_rubric(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        rubric = _parse_rubric(d.pop("rubric", UNSET))


        def _parse_entries(data: object) -> ModelAnswerCounts | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                entries_type_0 = ModelAnswerCounts.from_dict(data)



                return entries_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ModelAnswerCounts | None | Unset, data)

        entries = _parse_entries(d.pop("entries", UNSET))


        warnings = cast(list[str], d.pop("warnings", UNSET))


        _gate = d.pop("gate", UNSET)
        gate: list[GateRecord] | Unset = UNSET
        if _gate is not UNSET:
            gate = []
            for gate_item_data in _gate:
                gate_item = GateRecord.from_dict(gate_item_data)



                gate.append(gate_item)


        def _parse_error(data: object) -> CompressionError | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                error_type_0 = CompressionError.from_dict(data)



                return error_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CompressionError | None | Unset, data)

        error = _parse_error(d.pop("error", UNSET))


        _cost = d.pop("cost", UNSET)
        cost: ModelCost | Unset
        if isinstance(_cost,  Unset):
            cost = UNSET
        else:
            cost = ModelCost.from_dict(_cost)




        _timings = d.pop("timings", UNSET)
        timings: CompressionTimings | Unset
        if isinstance(_timings,  Unset):
            timings = UNSET
        else:
            timings = CompressionTimings.from_dict(_timings)




        compression = cls(
            reduction=reduction,
            id=id,
            session_id=session_id,
            kind=kind,
            status=status,
            strategy=strategy,
            verifiable=verifiable,
            trigger=trigger,
            reason=reason,
            from_seq=from_seq,
            through_seq=through_seq,
            version=version,
            attempts=attempts,
            flags=flags,
            created_at=created_at,
            started_at=started_at,
            finished_at=finished_at,
            strategy_used=strategy_used,
            engine=engine,
            model=model,
            tokens_before=tokens_before,
            tokens_after=tokens_after,
            context_tokens_before=context_tokens_before,
            context_tokens_after=context_tokens_after,
            target_met=target_met,
            probe_score=probe_score,
            facts_score=facts_score,
            exam=exam,
            probes_asked=probes_asked,
            probes_failed=probes_failed,
            probes_cut=probes_cut,
            critical_failed=critical_failed,
            callers_failed=callers_failed,
            rubric=rubric,
            entries=entries,
            warnings=warnings,
            gate=gate,
            error=error,
            cost=cost,
            timings=timings,
        )


        compression.additional_properties = d
        return compression

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
