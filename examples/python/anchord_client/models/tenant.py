from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.tenant_status import TenantStatus
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.tenant_quotas import TenantQuotas





T = TypeVar("T", bound="Tenant")



@_attrs_define
class Tenant:
    """ A tenant.

        Attributes:
            id (str): An id that starts with `ten_`.
            name (str): Its name, unique in the installation.
            status (TenantStatus): Whether a tenant's keys are accepted.
            quotas (TenantQuotas): The bounds of one tenant; what is absent or null is not bounded for it alone.
            retention_days (int | None): How many days it keeps sessions without a write; null means forever.
            created_at (datetime.datetime): When it was created.
     """

    id: str
    name: str
    status: TenantStatus
    quotas: TenantQuotas
    retention_days: int | None
    created_at: datetime.datetime
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.tenant_quotas import TenantQuotas # noqa: PLC0415
        id = self.id

        name = self.name

        status = self.status.value

        quotas = self.quotas.to_dict()

        retention_days: int | None
        retention_days = self.retention_days

        created_at = self.created_at.isoformat()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "name": name,
            "status": status,
            "quotas": quotas,
            "retention_days": retention_days,
            "created_at": created_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tenant_quotas import TenantQuotas # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        name = d.pop("name")

        status = TenantStatus(d.pop("status"))




        quotas = TenantQuotas.from_dict(d.pop("quotas"))




        def _parse_retention_days(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        retention_days = _parse_retention_days(d.pop("retention_days"))


        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))




        tenant = cls(
            id=id,
            name=name,
            status=status,
            quotas=quotas,
            retention_days=retention_days,
            created_at=created_at,
        )


        tenant.additional_properties = d
        return tenant

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
