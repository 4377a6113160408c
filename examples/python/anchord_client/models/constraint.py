from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.constraint_source import ConstraintSource
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Constraint")



@_attrs_define
class Constraint:
    """ A requirement, verbatim.

        Attributes:
            id (str): Its id, derived from its source and text.
            text (str): Its text, verbatim.
            source (ConstraintSource): Where a constraint comes from.
            seqs (list[int]): The messages that it came from; empty for pins.
            speaker (None | str | Unset): Who made it, when the message names its speaker.
            permits (bool | Unset): Whether it permits what an earlier one forbade, or releases from it, and demands
                nothing.
            replaces (list[str] | Unset): The texts of the earlier constraints that it replaced.
     """

    id: str
    text: str
    source: ConstraintSource
    seqs: list[int]
    speaker: None | str | Unset = UNSET
    permits: bool | Unset = UNSET
    replaces: list[str] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        id = self.id

        text = self.text

        source = self.source.value

        seqs = self.seqs



        speaker: None | str | Unset
        if isinstance(self.speaker, Unset):
            speaker = UNSET
        else:
            speaker = self.speaker

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
        })
        if speaker is not UNSET:
            field_dict["speaker"] = speaker
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


        def _parse_speaker(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        speaker = _parse_speaker(d.pop("speaker", UNSET))


        permits = d.pop("permits", UNSET)

        replaces = cast(list[str], d.pop("replaces", UNSET))


        constraint = cls(
            id=id,
            text=text,
            source=source,
            seqs=seqs,
            speaker=speaker,
            permits=permits,
            replaces=replaces,
        )


        constraint.additional_properties = d
        return constraint

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
