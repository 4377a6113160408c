from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.agent_note import AgentNote





T = TypeVar("T", bound="AgentNotes")



@_attrs_define
class AgentNotes:
    """ A session's notes, in the order in which contexts show them.

        Attributes:
            notes (list[AgentNote]): The notes.
     """

    notes: list[AgentNote]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.agent_note import AgentNote # noqa: PLC0415
        notes = []
        for notes_item_data in self.notes:
            notes_item = notes_item_data.to_dict()
            notes.append(notes_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "notes": notes,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.agent_note import AgentNote # noqa: PLC0415
        d = dict(src_dict)
        notes = []
        _notes = d.pop("notes")
        for notes_item_data in (_notes):
            notes_item = AgentNote.from_dict(notes_item_data)



            notes.append(notes_item)


        agent_notes = cls(
            notes=notes,
        )


        agent_notes.additional_properties = d
        return agent_notes

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
