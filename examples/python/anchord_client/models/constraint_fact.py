from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.constraint_fact_kind import ConstraintFactKind
from ..models.constraint_source import ConstraintSource
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ConstraintFact")



@_attrs_define
class ConstraintFact:
    """ The requirement, verbatim.

        Attributes:
            id (str): Its id, for `DELETE …/constraints/{id}`.
            text (str): Its text, verbatim.
            source (ConstraintSource): Where a constraint comes from.
            seqs (list[int]): The messages that show it; empty for pins.
            kind (ConstraintFactKind):
            proposed (bool | Unset): Whether it is only proposed: it takes effect when its text is pinned (setting
                `constraints`: `propose`).
            permits (bool | Unset): Whether it permits what an earlier one forbade, or releases from it, and demands
                nothing.
            replaces (list[str] | Unset): The texts of the earlier constraints that it replaced.
     """

    id: str
    text: str
    source: ConstraintSource
    seqs: list[int]
    kind: ConstraintFactKind
    proposed: bool | Unset = UNSET
    permits: bool | Unset = UNSET
    replaces: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        text = self.text

        source = self.source.value

        seqs = self.seqs



        kind = self.kind.value

        proposed = self.proposed

        permits = self.permits

        replaces: list[str] | Unset = UNSET
        if not isinstance(self.replaces, Unset):
            replaces = self.replaces




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "id": id,
            "text": text,
            "source": source,
            "seqs": seqs,
            "kind": kind,
        })
        if proposed is not UNSET:
            field_dict["proposed"] = proposed
        if permits is not UNSET:
            field_dict["permits"] = permits
        if replaces is not UNSET:
            field_dict["replaces"] = replaces

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        text = d.pop("text")

        source = ConstraintSource(d.pop("source"))




        seqs = cast(list[int], d.pop("seqs"))


        kind = ConstraintFactKind(d.pop("kind"))




        proposed = d.pop("proposed", UNSET)

        permits = d.pop("permits", UNSET)

        replaces = cast(list[str], d.pop("replaces", UNSET))


        constraint_fact = cls(
            id=id,
            text=text,
            source=source,
            seqs=seqs,
            kind=kind,
            proposed=proposed,
            permits=permits,
            replaces=replaces,
        )


        constraint_fact.additional_properties = d
        return constraint_fact

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
