from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.exam_scores import ExamScores
  from ..models.rubric import Rubric





T = TypeVar("T", bound="Evaluation")



@_attrs_define
class Evaluation:
    """ One run of the probes against a version, or against a candidate that was refused.

        Attributes:
            score (float | None): The share of the probes that passed, from 0 to 1; null without probes.
            facts_score (float | None): The same of those that ask for facts which code found (files, errors, figures,
                demands); null when none did. They
                are made from what the record is made from: a high share says that nothing of it was dropped, not that a reader
                has what the work needs.
            exam (ExamScores | None): How a reader did in an exam that was written from the messages; its questions count in
                none of the figures above.
                Null without one.
            id (str): An id that starts with `evl_`.
            version (int | None): The version; null for a candidate that was refused.
            compression_id (None | str): The compression or evaluation job that made it.
            rubric (None | Rubric): The scores of the judge model; null without a judge, or when it did not answer.
            created_at (datetime.datetime): When it was created.
            asked (int | Unset): Probes that were judged: passed or failed, not cut. Default: 0.
            failed (int | Unset): Probes that failed. Default: 0.
            cut (int | Unset): Probes whose facts the rendering's bound cut. Default: 0.
            critical_failed (int | Unset): Critical probes that failed. Default: 0.
     """

    score: float | None
    facts_score: float | None
    exam: ExamScores | None
    id: str
    version: int | None
    compression_id: None | str
    rubric: None | Rubric
    created_at: datetime.datetime
    asked: int | Unset = 0
    failed: int | Unset = 0
    cut: int | Unset = 0
    critical_failed: int | Unset = 0
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.exam_scores import ExamScores # noqa: PLC0415
        from ..models.rubric import Rubric # noqa: PLC0415
        score: float | None
        score = self.score

        facts_score: float | None
        facts_score = self.facts_score

        exam: dict[str, Any] | None
        if isinstance(self.exam, ExamScores):
            exam = self.exam.to_dict()
        else:
            exam = self.exam

        id = self.id

        version: int | None
        version = self.version

        compression_id: None | str
        compression_id = self.compression_id

        rubric: dict[str, Any] | None
        if isinstance(self.rubric, Rubric):
            rubric = self.rubric.to_dict()
        else:
            rubric = self.rubric

        created_at = self.created_at.isoformat()

        asked = self.asked

        failed = self.failed

        cut = self.cut

        critical_failed = self.critical_failed


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "score": score,
            "facts_score": facts_score,
            "exam": exam,
            "id": id,
            "version": version,
            "compression_id": compression_id,
            "rubric": rubric,
            "created_at": created_at,
        })
        if asked is not UNSET:
            field_dict["asked"] = asked
        if failed is not UNSET:
            field_dict["failed"] = failed
        if cut is not UNSET:
            field_dict["cut"] = cut
        if critical_failed is not UNSET:
            field_dict["critical_failed"] = critical_failed

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.exam_scores import ExamScores # noqa: PLC0415
        from ..models.rubric import Rubric # noqa: PLC0415
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


        id = d.pop("id")

        def _parse_version(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        version = _parse_version(d.pop("version"))


        def _parse_compression_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        compression_id = _parse_compression_id(d.pop("compression_id"))


        def _parse_rubric(data: object) -> None | Rubric:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                rubric_type_0 = Rubric.from_dict(data)



                return rubric_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Rubric, data)

        rubric = _parse_rubric(d.pop("rubric"))


        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        asked = d.pop("asked", UNSET)

        failed = d.pop("failed", UNSET)

        cut = d.pop("cut", UNSET)

        critical_failed = d.pop("critical_failed", UNSET)

        evaluation = cls(
            score=score,
            facts_score=facts_score,
            exam=exam,
            id=id,
            version=version,
            compression_id=compression_id,
            rubric=rubric,
            created_at=created_at,
            asked=asked,
            failed=failed,
            cut=cut,
            critical_failed=critical_failed,
        )


        evaluation.additional_properties = d
        return evaluation

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
