from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.handoff_session import HandoffSession





T = TypeVar("T", bound="Handoff")



@_attrs_define
class Handoff:
    """ The text for a sub-agent's prompt.

        Attributes:
            markdown (str): Markdown with level-3 headings, to be put under `## Prior Session Context`.
            tokens (int): Its tokens, at most the level when there is one.
            version (int): The summary version that it renders; for a task, that of the newest session.
            sessions (list[HandoffSession]): The sessions that it includes, newest first.
     """

    markdown: str
    tokens: int
    version: int
    sessions: list[HandoffSession]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.handoff_session import HandoffSession # noqa: PLC0415
        markdown = self.markdown

        tokens = self.tokens

        version = self.version

        sessions = []
        for sessions_item_data in self.sessions:
            sessions_item = sessions_item_data.to_dict()
            sessions.append(sessions_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "markdown": markdown,
            "tokens": tokens,
            "version": version,
            "sessions": sessions,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.handoff_session import HandoffSession # noqa: PLC0415
        d = dict(src_dict)
        markdown = d.pop("markdown")

        tokens = d.pop("tokens")

        version = d.pop("version")

        sessions = []
        _sessions = d.pop("sessions")
        for sessions_item_data in (_sessions):
            sessions_item = HandoffSession.from_dict(sessions_item_data)



            sessions.append(sessions_item)


        handoff = cls(
            markdown=markdown,
            tokens=tokens,
            version=version,
            sessions=sessions,
        )


        handoff.additional_properties = d
        return handoff

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
