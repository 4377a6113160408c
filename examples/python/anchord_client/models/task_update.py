from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.task_status import TaskStatus






T = TypeVar("T", bound="TaskUpdate")



@_attrs_define
class TaskUpdate:
    """ The status of a task.

        Attributes:
            status (TaskStatus): The status of a task.
     """

    status: TaskStatus





    def to_dict(self) -> dict[str, Any]:
        status = self.status.value


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "status": status,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status = TaskStatus(d.pop("status"))




        task_update = cls(
            status=status,
        )

        return task_update

