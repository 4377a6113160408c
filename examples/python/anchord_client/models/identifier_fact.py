from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.identifier_fact_kind import IdentifierFactKind
from typing import cast






T = TypeVar("T", bound="IdentifierFact")



@_attrs_define
class IdentifierFact:
    """ A version, port, URL, id or figure.

        Attributes:
            key (str): What it is.
            value (str): Its value, verbatim.
            seqs (list[int]): The messages that show it.
            kind (IdentifierFactKind):
     """

    key: str
    value: str
    seqs: list[int]
    kind: IdentifierFactKind
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        key = self.key

        value = self.value

        seqs = self.seqs



        kind = self.kind.value


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "key": key,
            "value": value,
            "seqs": seqs,
            "kind": kind,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        key = d.pop("key")

        value = d.pop("value")

        seqs = cast(list[int], d.pop("seqs"))


        kind = IdentifierFactKind(d.pop("kind"))




        identifier_fact = cls(
            key=key,
            value=value,
            seqs=seqs,
            kind=kind,
        )


        identifier_fact.additional_properties = d
        return identifier_fact

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
