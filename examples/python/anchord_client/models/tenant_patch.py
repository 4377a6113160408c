from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.tenant_status import TenantStatus
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.tenant_quotas import TenantQuotas





T = TypeVar("T", bound="TenantPatch")



@_attrs_define
class TenantPatch:
    """ A change of a tenant; an absent field keeps its value.

        Attributes:
            name (None | str | Unset): Its name.
            status (None | TenantStatus | Unset): Whether its keys are accepted.
            quotas (None | TenantQuotas | Unset): Its quotas; they replace the ones there are.
            retention_days (int | None | Unset): How many days it keeps sessions without a write; null means forever.
     """

    name: None | str | Unset = UNSET
    status: None | TenantStatus | Unset = UNSET
    quotas: None | TenantQuotas | Unset = UNSET
    retention_days: int | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.tenant_quotas import TenantQuotas # noqa: PLC0415
        name: None | str | Unset
        if isinstance(self.name, Unset):
            name = UNSET
        else:
            name = self.name

        status: None | str | Unset
        if isinstance(self.status, Unset):
            status = UNSET
        elif isinstance(self.status, TenantStatus):
            status = self.status.value
        else:
            status = self.status

        quotas: dict[str, Any] | None | Unset
        if isinstance(self.quotas, Unset):
            quotas = UNSET
        elif isinstance(self.quotas, TenantQuotas):
            quotas = self.quotas.to_dict()
        else:
            quotas = self.quotas

        retention_days: int | None | Unset
        if isinstance(self.retention_days, Unset):
            retention_days = UNSET
        else:
            retention_days = self.retention_days


        field_dict: dict[str, Any] = {}

        field_dict.update({
        })
        if name is not UNSET:
            field_dict["name"] = name
        if status is not UNSET:
            field_dict["status"] = status
        if quotas is not UNSET:
            field_dict["quotas"] = quotas
        if retention_days is not UNSET:
            field_dict["retention_days"] = retention_days

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tenant_quotas import TenantQuotas # noqa: PLC0415
        d = dict(src_dict)
        def _parse_name(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        name = _parse_name(d.pop("name", UNSET))


        def _parse_status(data: object) -> None | TenantStatus | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                status_type_0 = TenantStatus(data)



                return status_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TenantStatus | Unset, data)

        status = _parse_status(d.pop("status", UNSET))


        def _parse_quotas(data: object) -> None | TenantQuotas | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                quotas_type_0 = TenantQuotas.from_dict(data)



                return quotas_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TenantQuotas | Unset, data)

        quotas = _parse_quotas(d.pop("quotas", UNSET))


        def _parse_retention_days(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        retention_days = _parse_retention_days(d.pop("retention_days", UNSET))


        tenant_patch = cls(
            name=name,
            status=status,
            quotas=quotas,
            retention_days=retention_days,
        )

        return tenant_patch

