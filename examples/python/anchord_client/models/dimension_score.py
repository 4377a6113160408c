from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.criterion_score import CriterionScore





T = TypeVar("T", bound="DimensionScore")



@_attrs_define
class DimensionScore:
    """ One dimension, judged.

        Attributes:
            name (str): `accuracy`, `context_awareness`, `artifact_trail`, `completeness`, `continuity` or
                `instruction_following`.
            score (float): The weighted mean of its criteria, 0 to 5.
            target (float): The target score.
            criteria (list[CriterionScore]): Criterion by criterion.
     """

    name: str
    score: float
    target: float
    criteria: list[CriterionScore]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.criterion_score import CriterionScore # noqa: PLC0415
        name = self.name

        score = self.score

        target = self.target

        criteria = []
        for criteria_item_data in self.criteria:
            criteria_item = criteria_item_data.to_dict()
            criteria.append(criteria_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "name": name,
            "score": score,
            "target": target,
            "criteria": criteria,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.criterion_score import CriterionScore # noqa: PLC0415
        d = dict(src_dict)
        name = d.pop("name")

        score = d.pop("score")

        target = d.pop("target")

        criteria = []
        _criteria = d.pop("criteria")
        for criteria_item_data in (_criteria):
            criteria_item = CriterionScore.from_dict(criteria_item_data)



            criteria.append(criteria_item)


        dimension_score = cls(
            name=name,
            score=score,
            target=target,
            criteria=criteria,
        )


        dimension_score.additional_properties = d
        return dimension_score

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
