from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.task_outcomes import TaskOutcomes





T = TypeVar("T", bound="TasksUsage")



@_attrs_define
class TasksUsage:
    """ How tasks ended, with compression and without.

        Attributes:
            with_compression (TaskOutcomes): How the tasks of one sort ended.
            without_compression (TaskOutcomes): How the tasks of one sort ended.
     """

    with_compression: TaskOutcomes
    without_compression: TaskOutcomes
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.task_outcomes import TaskOutcomes # noqa: PLC0415
        with_compression = self.with_compression.to_dict()

        without_compression = self.without_compression.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "with_compression": with_compression,
            "without_compression": without_compression,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.task_outcomes import TaskOutcomes # noqa: PLC0415
        d = dict(src_dict)
        with_compression = TaskOutcomes.from_dict(d.pop("with_compression"))




        without_compression = TaskOutcomes.from_dict(d.pop("without_compression"))




        tasks_usage = cls(
            with_compression=with_compression,
            without_compression=without_compression,
        )


        tasks_usage.additional_properties = d
        return tasks_usage

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
