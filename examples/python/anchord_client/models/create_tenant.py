from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.tenant_quotas import TenantQuotas





T = TypeVar("T", bound="CreateTenant")



@_attrs_define
class CreateTenant:
    """ A tenant to create.

        Attributes:
            name (str): Its name, unique in the installation.
            quotas (None | TenantQuotas | Unset): Its quotas.
     """

    name: str
    quotas: None | TenantQuotas | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.tenant_quotas import TenantQuotas # noqa: PLC0415
        name = self.name

        quotas: dict[str, Any] | None | Unset
        if isinstance(self.quotas, Unset):
            quotas = UNSET
        elif isinstance(self.quotas, TenantQuotas):
            quotas = self.quotas.to_dict()
        else:
            quotas = self.quotas


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "name": name,
        })
        if quotas is not UNSET:
            field_dict["quotas"] = quotas

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tenant_quotas import TenantQuotas # noqa: PLC0415
        d = dict(src_dict)
        name = d.pop("name")

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


        create_tenant = cls(
            name=name,
            quotas=quotas,
        )

        return create_tenant

