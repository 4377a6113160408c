from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset







T = TypeVar("T", bound="ContextTokens")



@_attrs_define
class ContextTokens:
    """ Tokens of a context by component.

        Attributes:
            system (int): System prompt and pins.
            summary (int): The summary.
            digest (int): The digest: shortened quotes of the messages that the summary covers.
            notes (int): The agent's notes.
            tail (int): Everything after them.
            total (int): All of them.
     """

    system: int
    summary: int
    digest: int
    notes: int
    tail: int
    total: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        system = self.system

        summary = self.summary

        digest = self.digest

        notes = self.notes

        tail = self.tail

        total = self.total


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "system": system,
            "summary": summary,
            "digest": digest,
            "notes": notes,
            "tail": tail,
            "total": total,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        system = d.pop("system")

        summary = d.pop("summary")

        digest = d.pop("digest")

        notes = d.pop("notes")

        tail = d.pop("tail")

        total = d.pop("total")

        context_tokens = cls(
            system=system,
            summary=summary,
            digest=digest,
            notes=notes,
            tail=tail,
            total=total,
        )


        context_tokens.additional_properties = d
        return context_tokens

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
