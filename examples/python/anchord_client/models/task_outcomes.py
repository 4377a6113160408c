from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="TaskOutcomes")



@_attrs_define
class TaskOutcomes:
    """ How the tasks of one sort ended.

        Attributes:
            ended (int): Tasks that ended.
            completed (int): Completed tasks.
            completion_rate (float | None): `completed` of `ended`; null when none ended.
            tokens_per_completed_task (float | None): Tokens of the contexts and of the engine's model for each completed
                task; null without one.
            requests_per_completed_task (float | None): Contexts that were served for each completed task; null without one.
     """

    ended: int
    completed: int
    completion_rate: float | None
    tokens_per_completed_task: float | None
    requests_per_completed_task: float | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        ended = self.ended

        completed = self.completed

        completion_rate: float | None
        completion_rate = self.completion_rate

        tokens_per_completed_task: float | None
        tokens_per_completed_task = self.tokens_per_completed_task

        requests_per_completed_task: float | None
        requests_per_completed_task = self.requests_per_completed_task


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "ended": ended,
            "completed": completed,
            "completion_rate": completion_rate,
            "tokens_per_completed_task": tokens_per_completed_task,
            "requests_per_completed_task": requests_per_completed_task,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        ended = d.pop("ended")

        completed = d.pop("completed")

        def _parse_completion_rate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        completion_rate = _parse_completion_rate(d.pop("completion_rate"))


        def _parse_tokens_per_completed_task(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        tokens_per_completed_task = _parse_tokens_per_completed_task(d.pop("tokens_per_completed_task"))


        def _parse_requests_per_completed_task(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        requests_per_completed_task = _parse_requests_per_completed_task(d.pop("requests_per_completed_task"))


        task_outcomes = cls(
            ended=ended,
            completed=completed,
            completion_rate=completion_rate,
            tokens_per_completed_task=tokens_per_completed_task,
            requests_per_completed_task=requests_per_completed_task,
        )


        task_outcomes.additional_properties = d
        return task_outcomes

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
