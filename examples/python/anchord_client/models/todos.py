from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.todo import Todo
  from ..models.todo_change import TodoChange





T = TypeVar("T", bound="Todos")



@_attrs_define
class Todos:
    """ A session's todo list, and what its last change was.

        Attributes:
            todos (list[Todo]): The items, in the caller's order.
            changes (list[TodoChange]): What the last change did, the caller's or a compression's; proposals included.
            changed_in_version (int | None): The version whose compression brought the last change; null when the caller
                did.
            revision (int): Grows with every change; 0 before the first list.
            updated_at (datetime.datetime | None): When it was last changed; null before the first list.
     """

    todos: list[Todo]
    changes: list[TodoChange]
    changed_in_version: int | None
    revision: int
    updated_at: datetime.datetime | None
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.todo import Todo # noqa: PLC0415
        from ..models.todo_change import TodoChange # noqa: PLC0415
        todos = []
        for todos_item_data in self.todos:
            todos_item = todos_item_data.to_dict()
            todos.append(todos_item)



        changes = []
        for changes_item_data in self.changes:
            changes_item = changes_item_data.to_dict()
            changes.append(changes_item)



        changed_in_version: int | None
        changed_in_version = self.changed_in_version

        revision = self.revision

        updated_at: None | str
        if isinstance(self.updated_at, datetime.datetime):
            updated_at = self.updated_at.isoformat()
        else:
            updated_at = self.updated_at


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "todos": todos,
            "changes": changes,
            "changed_in_version": changed_in_version,
            "revision": revision,
            "updated_at": updated_at,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.todo import Todo # noqa: PLC0415
        from ..models.todo_change import TodoChange # noqa: PLC0415
        d = dict(src_dict)
        todos = []
        _todos = d.pop("todos")
        for todos_item_data in (_todos):
            todos_item = Todo.from_dict(todos_item_data)



            todos.append(todos_item)


        changes = []
        _changes = d.pop("changes")
        for changes_item_data in (_changes):
            changes_item = TodoChange.from_dict(changes_item_data)



            changes.append(changes_item)


        def _parse_changed_in_version(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        changed_in_version = _parse_changed_in_version(d.pop("changed_in_version"))


        revision = d.pop("revision")

        def _parse_updated_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                updated_at_type_0 = datetime.datetime.fromisoformat(data)



                return updated_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        updated_at = _parse_updated_at(d.pop("updated_at"))


        todos = cls(
            todos=todos,
            changes=changes,
            changed_in_version=changed_in_version,
            revision=revision,
            updated_at=updated_at,
        )


        todos.additional_properties = d
        return todos

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
