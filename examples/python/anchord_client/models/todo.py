from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.todo_status import TodoStatus
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="Todo")



@_attrs_define
class Todo:
    """ One item of a caller's list.

        Attributes:
            content (str): The task.
            status (TodoStatus): How far a todo item is.
            proposed_status (None | TodoStatus | Unset): The status that a compression infers without certainty. Only the
                caller changes `status`.
            seqs (list[int] | Unset): The messages about its completion.
     """

    content: str
    status: TodoStatus
    proposed_status: None | TodoStatus | Unset = UNSET
    seqs: list[int] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        content = self.content

        status = self.status.value

        proposed_status: None | str | Unset
        if isinstance(self.proposed_status, Unset):
            proposed_status = UNSET
        elif isinstance(self.proposed_status, TodoStatus):
            proposed_status = self.proposed_status.value
        else:
            proposed_status = self.proposed_status

        seqs: list[int] | Unset = UNSET
        if not isinstance(self.seqs, Unset):
            seqs = self.seqs




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "content": content,
            "status": status,
        })
        if proposed_status is not UNSET:
            field_dict["proposed_status"] = proposed_status
        if seqs is not UNSET:
            field_dict["seqs"] = seqs

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        content = d.pop("content")

        status = TodoStatus(d.pop("status"))




        def _parse_proposed_status(data: object) -> None | TodoStatus | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                proposed_status_type_0 = TodoStatus(data)



                return proposed_status_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TodoStatus | Unset, data)

        proposed_status = _parse_proposed_status(d.pop("proposed_status", UNSET))


        seqs = cast(list[int], d.pop("seqs", UNSET))


        todo = cls(
            content=content,
            status=status,
            proposed_status=proposed_status,
            seqs=seqs,
        )


        todo.additional_properties = d
        return todo

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
