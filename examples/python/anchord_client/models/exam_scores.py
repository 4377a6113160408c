from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="ExamScores")



@_attrs_define
class ExamScores:
    """ The result of an exam: a model answered questions with nothing but a version's context.

        Attributes:
            asked (int): The number of questions.
            passed (int): Questions whose answer had every fact.
            score (float | None): The share of `asked` that passed; null with fewer than three questions.
            low (bool): Whether the score is below the session's threshold.
     """

    asked: int
    passed: int
    score: float | None
    low: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        asked = self.asked

        passed = self.passed

        score: float | None
        score = self.score

        low = self.low


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "asked": asked,
            "passed": passed,
            "score": score,
            "low": low,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        asked = d.pop("asked")

        passed = d.pop("passed")

        def _parse_score(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        score = _parse_score(d.pop("score"))


        low = d.pop("low")

        exam_scores = cls(
            asked=asked,
            passed=passed,
            score=score,
            low=low,
        )


        exam_scores.additional_properties = d
        return exam_scores

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
