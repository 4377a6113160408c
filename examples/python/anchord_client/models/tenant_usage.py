from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.tasks_usage import TasksUsage
  from ..models.usage_day import UsageDay
  from ..models.usage_figures import UsageFigures





T = TypeVar("T", bound="TenantUsage")



@_attrs_define
class TenantUsage:
    """ The use of the tenant.

        Attributes:
            from_ (datetime.date): The first day of the report.
            to (datetime.date): The last day of the report.
            total (UsageFigures): Usage figures and what follows from them.
            days (list[UsageDay]): Day by day, without those on which nothing was used.
            tasks (TasksUsage): How tasks ended, with compression and without.
     """

    from_: datetime.date
    to: datetime.date
    total: UsageFigures
    days: list[UsageDay]
    tasks: TasksUsage
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.tasks_usage import TasksUsage # noqa: PLC0415
        from ..models.usage_day import UsageDay # noqa: PLC0415
        from ..models.usage_figures import UsageFigures # noqa: PLC0415
        from_ = self.from_.isoformat()

        to = self.to.isoformat()

        total = self.total.to_dict()

        days = []
        for days_item_data in self.days:
            days_item = days_item_data.to_dict()
            days.append(days_item)



        tasks = self.tasks.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "from": from_,
            "to": to,
            "total": total,
            "days": days,
            "tasks": tasks,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tasks_usage import TasksUsage # noqa: PLC0415
        from ..models.usage_day import UsageDay # noqa: PLC0415
        from ..models.usage_figures import UsageFigures # noqa: PLC0415
        d = dict(src_dict)
        from_ = datetime.date.fromisoformat(d.pop("from"))




        to = datetime.date.fromisoformat(d.pop("to"))




        total = UsageFigures.from_dict(d.pop("total"))




        days = []
        _days = d.pop("days")
        for days_item_data in (_days):
            days_item = UsageDay.from_dict(days_item_data)



            days.append(days_item)


        tasks = TasksUsage.from_dict(d.pop("tasks"))




        tenant_usage = cls(
            from_=from_,
            to=to,
            total=total,
            days=days,
            tasks=tasks,
        )


        tenant_usage.additional_properties = d
        return tenant_usage

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
