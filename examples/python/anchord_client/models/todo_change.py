from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.todo_status import TodoStatus
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="TodoChange")



@_attrs_define
class TodoChange:
    """ How one item differs from what it was.

        Attributes:
            content (str): The item.
            from_ (None | TodoStatus): The status before; null for a new item.
            to (None | TodoStatus): The status after; null for a removed item.
            proposed (bool): Whether the change is only proposed: the item keeps its status until the caller changes it.
            evidence (None | str | Unset): The clause of the message that shows it.
            seqs (list[int] | Unset): The messages that it came from.
     """

    content: str
    from_: None | TodoStatus
    to: None | TodoStatus
    proposed: bool
    evidence: None | str | Unset = UNSET
    seqs: list[int] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        content = self.content

        from_: None | str
        if isinstance(self.from_, TodoStatus):
            from_ = self.from_.value
        else:
            from_ = self.from_

        to: None | str
        if isinstance(self.to, TodoStatus):
            to = self.to.value
        else:
            to = self.to

        proposed = self.proposed

        evidence: None | str | Unset
        if isinstance(self.evidence, Unset):
            evidence = UNSET
        else:
            evidence = self.evidence

        seqs: list[int] | Unset = UNSET
        if not isinstance(self.seqs, Unset):
            seqs = self.seqs




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "content": content,
            "from": from_,
            "to": to,
            "proposed": proposed,
        })
        if evidence is not UNSET:
            field_dict["evidence"] = evidence
        if seqs is not UNSET:
            field_dict["seqs"] = seqs

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        content = d.pop("content")

        def _parse_from_(data: object) -> None | TodoStatus:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                from_type_0 = TodoStatus(data)



                return from_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TodoStatus, data)

        from_ = _parse_from_(d.pop("from"))


        def _parse_to(data: object) -> None | TodoStatus:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                to_type_0 = TodoStatus(data)



                return to_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | TodoStatus, data)

        to = _parse_to(d.pop("to"))


        proposed = d.pop("proposed")

        def _parse_evidence(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        evidence = _parse_evidence(d.pop("evidence", UNSET))


        seqs = cast(list[int], d.pop("seqs", UNSET))


        todo_change = cls(
            content=content,
            from_=from_,
            to=to,
            proposed=proposed,
            evidence=evidence,
            seqs=seqs,
        )


        todo_change.additional_properties = d
        return todo_change

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
