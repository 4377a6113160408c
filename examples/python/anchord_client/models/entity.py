from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.entity_property import EntityProperty





T = TypeVar("T", bound="Entity")



@_attrs_define
class Entity:
    """ Something with an identity: a reservation, a ticket, a person, a commit, an endpoint.

        Attributes:
            id (str): The identifier, unique within the kind.
            properties (list[EntityProperty]): What is known of it, in the order in which it was shown.
            seqs (list[int]): The messages that it came from, the latest twenty.
            kind (str | Unset): The kind (`reservation`, `pr`, `pod`); empty when unknown.
            more (int | Unset): Properties that had no room.
            named (int | Unset): How often a person, the agent or a call named it.
     """

    id: str
    properties: list[EntityProperty]
    seqs: list[int]
    kind: str | Unset = UNSET
    more: int | Unset = UNSET
    named: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.entity_property import EntityProperty # noqa: PLC0415
        id = self.id

        properties = []
        for properties_item_data in self.properties:
            properties_item = properties_item_data.to_dict()
            properties.append(properties_item)



        seqs = self.seqs



        kind = self.kind

        more = self.more

        named = self.named


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "properties": properties,
            "seqs": seqs,
        })
        if kind is not UNSET:
            field_dict["kind"] = kind
        if more is not UNSET:
            field_dict["more"] = more
        if named is not UNSET:
            field_dict["named"] = named

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.entity_property import EntityProperty # noqa: PLC0415
        d = dict(src_dict)
        id = d.pop("id")

        properties = []
        _properties = d.pop("properties")
        for properties_item_data in (_properties):
            properties_item = EntityProperty.from_dict(properties_item_data)



            properties.append(properties_item)


        seqs = cast(list[int], d.pop("seqs"))


        kind = d.pop("kind", UNSET)

        more = d.pop("more", UNSET)

        named = d.pop("named", UNSET)

        entity = cls(
            id=id,
            properties=properties,
            seqs=seqs,
            kind=kind,
            more=more,
            named=named,
        )


        entity.additional_properties = d
        return entity

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
