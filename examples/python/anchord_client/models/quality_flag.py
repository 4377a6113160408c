from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.quality_flag_level import QualityFlagLevel
from ..models.quality_metric import QualityMetric






T = TypeVar("T", bound="QualityFlag")



@_attrs_define
class QualityFlag:
    """ A figure outside its target.

        Attributes:
            metric (QualityMetric): A figure that has a target.
            level (QualityFlagLevel): How far a figure is outside its target.
            detail (str): The figure and its target, as a sentence.
     """

    metric: QualityMetric
    level: QualityFlagLevel
    detail: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        metric = self.metric.value

        level = self.level.value

        detail = self.detail


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "metric": metric,
            "level": level,
            "detail": detail,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        metric = QualityMetric(d.pop("metric"))




        level = QualityFlagLevel(d.pop("level"))




        detail = d.pop("detail")

        quality_flag = cls(
            metric=metric,
            level=level,
            detail=detail,
        )


        quality_flag.additional_properties = d
        return quality_flag

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
