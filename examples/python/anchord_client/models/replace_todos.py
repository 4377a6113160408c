from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast
import datetime

if TYPE_CHECKING:
  from ..models.todo_change import TodoChange
  from ..models.todo_input import TodoInput





T = TypeVar("T", bound="ReplaceTodos")



@_attrs_define
class ReplaceTodos:
    """ The list that replaces the one there is. The reply of a GET can be sent back.

        Attributes:
            todos (list[TodoInput]): The items, in order.
            changes (list[TodoChange] | None | Unset): As a GET returns it. Ignored.
            changed_in_version (int | None | Unset): As a GET returns it. Ignored.
            revision (int | None | Unset): As a GET returns it. Ignored.
            updated_at (datetime.datetime | None | Unset): As a GET returns it. Ignored.
     """

    todos: list[TodoInput]
    changes: list[TodoChange] | None | Unset = UNSET
    changed_in_version: int | None | Unset = UNSET
    revision: int | None | Unset = UNSET
    updated_at: datetime.datetime | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        from ..models.todo_change import TodoChange # noqa: PLC0415
        from ..models.todo_input import TodoInput # noqa: PLC0415
        todos = []
        for todos_item_data in self.todos:
            todos_item = todos_item_data.to_dict()
            todos.append(todos_item)



        changes: list[dict[str, Any]] | None | Unset
        if isinstance(self.changes, Unset):
            changes = UNSET
        elif isinstance(self.changes, list):
            changes = []
            for changes_type_0_item_data in self.changes:
                changes_type_0_item = changes_type_0_item_data.to_dict()
                changes.append(changes_type_0_item)


        else:
            changes = self.changes

        changed_in_version: int | None | Unset
        if isinstance(self.changed_in_version, Unset):
            changed_in_version = UNSET
        else:
            changed_in_version = self.changed_in_version

        revision: int | None | Unset
        if isinstance(self.revision, Unset):
            revision = UNSET
        else:
            revision = self.revision

        updated_at: None | str | Unset
        if isinstance(self.updated_at, Unset):
            updated_at = UNSET
        elif isinstance(self.updated_at, datetime.datetime):
            updated_at = self.updated_at.isoformat()
        else:
            updated_at = self.updated_at


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "todos": todos,
        })
        if changes is not UNSET:
            field_dict["changes"] = changes
        if changed_in_version is not UNSET:
            field_dict["changed_in_version"] = changed_in_version
        if revision is not UNSET:
            field_dict["revision"] = revision
        if updated_at is not UNSET:
            field_dict["updated_at"] = updated_at

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.todo_change import TodoChange # noqa: PLC0415
        from ..models.todo_input import TodoInput # noqa: PLC0415
        d = dict(src_dict)
        todos = []
        _todos = d.pop("todos")
        for todos_item_data in (_todos):
            todos_item = TodoInput.from_dict(todos_item_data)



            todos.append(todos_item)


        def _parse_changes(data: object) -> list[TodoChange] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                changes_type_0 = []
                _changes_type_0 = data
                for changes_type_0_item_data in (_changes_type_0):
                    changes_type_0_item = TodoChange.from_dict(changes_type_0_item_data)



                    changes_type_0.append(changes_type_0_item)

                return changes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[TodoChange] | None | Unset, data)

        changes = _parse_changes(d.pop("changes", UNSET))


        def _parse_changed_in_version(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        changed_in_version = _parse_changed_in_version(d.pop("changed_in_version", UNSET))


        def _parse_revision(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        revision = _parse_revision(d.pop("revision", UNSET))


        def _parse_updated_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                updated_at_type_0 = datetime.datetime.fromisoformat(data)



                return updated_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        updated_at = _parse_updated_at(d.pop("updated_at", UNSET))


        replace_todos = cls(
            todos=todos,
            changes=changes,
            changed_in_version=changed_in_version,
            revision=revision,
            updated_at=updated_at,
        )

        return replace_todos

