from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.dimension_score import DimensionScore





T = TypeVar("T", bound="Rubric")



@_attrs_define
class Rubric:
    """ A judged summary.

        Attributes:
            model (str): The judge.
            overall (float): The mean of the dimensions, 0 to 5.
            dimensions (list[DimensionScore]): Dimension by dimension.
     """

    model: str
    overall: float
    dimensions: list[DimensionScore]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.dimension_score import DimensionScore # noqa: PLC0415
        model = self.model

        overall = self.overall

        dimensions = []
        for dimensions_item_data in self.dimensions:
            dimensions_item = dimensions_item_data.to_dict()
            dimensions.append(dimensions_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "model": model,
            "overall": overall,
            "dimensions": dimensions,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.dimension_score import DimensionScore # noqa: PLC0415
        d = dict(src_dict)
        model = d.pop("model")

        overall = d.pop("overall")

        dimensions = []
        _dimensions = d.pop("dimensions")
        for dimensions_item_data in (_dimensions):
            dimensions_item = DimensionScore.from_dict(dimensions_item_data)



            dimensions.append(dimensions_item)


        rubric = cls(
            model=model,
            overall=overall,
            dimensions=dimensions,
        )


        rubric.additional_properties = d
        return rubric

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
