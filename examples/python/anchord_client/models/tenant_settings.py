from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.resolved_policy import ResolvedPolicy
  from ..models.settings import Settings





T = TypeVar("T", bound="TenantSettings")



@_attrs_define
class TenantSettings:
    """ The defaults of the tenant's sessions, and what follows from them.

        Attributes:
            settings (Settings): Settings as the caller gave them; every field is optional.
            policy (ResolvedPolicy): Settings with every default resolved.
     """

    settings: Settings
    policy: ResolvedPolicy
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.resolved_policy import ResolvedPolicy # noqa: PLC0415
        from ..models.settings import Settings # noqa: PLC0415
        settings = self.settings.to_dict()

        policy = self.policy.to_dict()


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "settings": settings,
            "policy": policy,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.resolved_policy import ResolvedPolicy # noqa: PLC0415
        from ..models.settings import Settings # noqa: PLC0415
        d = dict(src_dict)
        settings = Settings.from_dict(d.pop("settings"))




        policy = ResolvedPolicy.from_dict(d.pop("policy"))




        tenant_settings = cls(
            settings=settings,
            policy=policy,
        )


        tenant_settings.additional_properties = d
        return tenant_settings

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
