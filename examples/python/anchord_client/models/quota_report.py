from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.quota_status import QuotaStatus





T = TypeVar("T", bound="QuotaReport")



@_attrs_define
class QuotaReport:
    """ The bounds of the tenant.

        Attributes:
            quotas (list[QuotaStatus]): Every bound.
     """

    quotas: list[QuotaStatus]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.quota_status import QuotaStatus # noqa: PLC0415
        quotas = []
        for quotas_item_data in self.quotas:
            quotas_item = quotas_item_data.to_dict()
            quotas.append(quotas_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "quotas": quotas,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.quota_status import QuotaStatus # noqa: PLC0415
        d = dict(src_dict)
        quotas = []
        _quotas = d.pop("quotas")
        for quotas_item_data in (_quotas):
            quotas_item = QuotaStatus.from_dict(quotas_item_data)



            quotas.append(quotas_item)


        quota_report = cls(
            quotas=quotas,
        )


        quota_report.additional_properties = d
        return quota_report

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
