from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="ComponentShares")



@_attrs_define
class ComponentShares:
    """ The components as shares of all that the caller sends, from 0 to 1.

        Attributes:
            system (float): The system prompt and the pins.
            tool_definitions (float): Tokens that the caller sends beside the context.
            history (float): Messages, tool outputs and retrieved documents aside.
            tool_outputs (float): Tool outputs, as they are served.
            retrieved_documents (float): Messages that the caller marked as retrieved documents.
            summary (float): The summary.
            digest (float): The digest of the messages that it covers.
            notes (float): The agent's notes.
     """

    system: float
    tool_definitions: float
    history: float
    tool_outputs: float
    retrieved_documents: float
    summary: float
    digest: float
    notes: float
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        system = self.system

        tool_definitions = self.tool_definitions

        history = self.history

        tool_outputs = self.tool_outputs

        retrieved_documents = self.retrieved_documents

        summary = self.summary

        digest = self.digest

        notes = self.notes


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "system": system,
            "tool_definitions": tool_definitions,
            "history": history,
            "tool_outputs": tool_outputs,
            "retrieved_documents": retrieved_documents,
            "summary": summary,
            "digest": digest,
            "notes": notes,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        system = d.pop("system")

        tool_definitions = d.pop("tool_definitions")

        history = d.pop("history")

        tool_outputs = d.pop("tool_outputs")

        retrieved_documents = d.pop("retrieved_documents")

        summary = d.pop("summary")

        digest = d.pop("digest")

        notes = d.pop("notes")

        component_shares = cls(
            system=system,
            tool_definitions=tool_definitions,
            history=history,
            tool_outputs=tool_outputs,
            retrieved_documents=retrieved_documents,
            summary=summary,
            digest=digest,
            notes=notes,
        )


        component_shares.additional_properties = d
        return component_shares

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
