from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="ComponentTokens")



@_attrs_define
class ComponentTokens:
    """ Tokens by component.

        Attributes:
            system (int): The system prompt, the pins, and the messages that are kept beside the summary.
            tool_definitions (int): Tokens that the caller sends beside the context, as set in `system_tokens`.
            history (int): Messages, tool outputs and retrieved documents aside.
            tool_outputs (int): Tool outputs, as they are served.
            retrieved_documents (int): Messages that the caller marked as retrieved documents.
            summary (int): The summary.
            digest (int): The digest of the messages that it covers.
            notes (int): The agent's notes.
     """

    system: int
    tool_definitions: int
    history: int
    tool_outputs: int
    retrieved_documents: int
    summary: int
    digest: int
    notes: int
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

        component_tokens = cls(
            system=system,
            tool_definitions=tool_definitions,
            history=history,
            tool_outputs=tool_outputs,
            retrieved_documents=retrieved_documents,
            summary=summary,
            digest=digest,
            notes=notes,
        )


        component_tokens.additional_properties = d
        return component_tokens

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
