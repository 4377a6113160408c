from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.answered_by import AnsweredBy
from ..models.engine import Engine
from ..models.gate_outcome import GateOutcome
from ..models.retry_measure import RetryMeasure
from ..models.strategy import Strategy
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.exam_scores import ExamScores





T = TypeVar("T", bound="GateRecord")



@_attrs_define
class GateRecord:
    """ The gate's decision on one candidate.

        Attributes:
            score (float | None): The share of the probes that passed, from 0 to 1; null without probes.
            facts_score (float | None): The same of those that ask for facts which code found (files, errors, figures,
                demands); null when none did. They
                are made from what the record is made from: a high share says that nothing of it was dropped, not that a reader
                has what the work needs.
            exam (ExamScores | None): How a reader did in an exam that was written from the messages; its questions count in
                none of the figures above.
                Null without one.
            strategy (Strategy): What a compression reads and what it makes of it.
            engine (Engine): The engine that read the span of a version.
            outcome (GateOutcome): The gate's decision on a candidate.
            rendering_tokens (int): Tokens of its rendering.
            answered_by (AnsweredBy): The reader that answered a probe.
            reasons (list[str]): Why it was not accepted, a few at most.
            asked (int | Unset): Probes that were judged: passed or failed, not cut. Default: 0.
            failed (int | Unset): Probes that failed. Default: 0.
            cut (int | Unset): Probes whose facts the rendering's bound cut. Default: 0.
            critical_failed (int | Unset): Critical probes that failed. Default: 0.
            next_ (None | RetryMeasure | Unset): What was tried next; absent when it was the last word.
     """

    score: float | None
    facts_score: float | None
    exam: ExamScores | None
    strategy: Strategy
    engine: Engine
    outcome: GateOutcome
    rendering_tokens: int
    answered_by: AnsweredBy
    reasons: list[str]
    asked: int | Unset = 0
    failed: int | Unset = 0
    cut: int | Unset = 0
    critical_failed: int | Unset = 0
    next_: None | RetryMeasure | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.exam_scores import ExamScores # noqa: PLC0415
        score: float | None
        score = self.score

        facts_score: float | None
        facts_score = self.facts_score

        exam: dict[str, Any] | None
        if isinstance(self.exam, ExamScores):
            exam = self.exam.to_dict()
        else:
            exam = self.exam

        strategy = self.strategy.value

        engine = self.engine.value

        outcome = self.outcome.value

        rendering_tokens = self.rendering_tokens

        answered_by = self.answered_by.value

        reasons = self.reasons



        asked = self.asked

        failed = self.failed

        cut = self.cut

        critical_failed = self.critical_failed

        next_: None | str | Unset
        if isinstance(self.next_, Unset):
            next_ = UNSET
        elif isinstance(self.next_, RetryMeasure):
            next_ = self.next_.value
        else:
            next_ = self.next_


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "score": score,
            "facts_score": facts_score,
            "exam": exam,
            "strategy": strategy,
            "engine": engine,
            "outcome": outcome,
            "rendering_tokens": rendering_tokens,
            "answered_by": answered_by,
            "reasons": reasons,
        })
        if asked is not UNSET:
            field_dict["asked"] = asked
        if failed is not UNSET:
            field_dict["failed"] = failed
        if cut is not UNSET:
            field_dict["cut"] = cut
        if critical_failed is not UNSET:
            field_dict["critical_failed"] = critical_failed
        if next_ is not UNSET:
            field_dict["next"] = next_

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.exam_scores import ExamScores # noqa: PLC0415
        d = dict(src_dict)
        def _parse_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        score = _parse_score(d.pop("score"))


        def _parse_facts_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        facts_score = _parse_facts_score(d.pop("facts_score"))


        def _parse_exam(data: object) -> ExamScores | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                exam_type_0 = ExamScores.from_dict(data)



                return exam_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ExamScores | None, data)

        exam = _parse_exam(d.pop("exam"))


        strategy = Strategy(d.pop("strategy"))




        engine = Engine(d.pop("engine"))




        outcome = GateOutcome(d.pop("outcome"))




        rendering_tokens = d.pop("rendering_tokens")

        answered_by = AnsweredBy(d.pop("answered_by"))




        reasons = cast(list[str], d.pop("reasons"))


        asked = d.pop("asked", UNSET)

        failed = d.pop("failed", UNSET)

        cut = d.pop("cut", UNSET)

        critical_failed = d.pop("critical_failed", UNSET)

        def _parse_next_(data: object) -> None | RetryMeasure | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_type_0 = RetryMeasure(data)



                return next_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RetryMeasure | Unset, data)

        next_ = _parse_next_(d.pop("next", UNSET))


        gate_record = cls(
            score=score,
            facts_score=facts_score,
            exam=exam,
            strategy=strategy,
            engine=engine,
            outcome=outcome,
            rendering_tokens=rendering_tokens,
            answered_by=answered_by,
            reasons=reasons,
            asked=asked,
            failed=failed,
            cut=cut,
            critical_failed=critical_failed,
            next_=next_,
        )


        gate_record.additional_properties = d
        return gate_record

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
