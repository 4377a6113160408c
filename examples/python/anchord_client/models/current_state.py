from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.note import Note





T = TypeVar("T", bound="CurrentState")



@_attrs_define
class CurrentState:
    """ The current state of the work.

        Attributes:
            text (str): The state as a sentence.
            seqs (list[int]): The messages that it came from.
            phase (None | str | Unset): The phase of the work.
            task (None | str | Unset): The task in hand.
            since (list[Note] | Unset): News in the messages after the covered ones, when the version was made: commits, the
                last test run.
     """

    text: str
    seqs: list[int]
    phase: None | str | Unset = UNSET
    task: None | str | Unset = UNSET
    since: list[Note] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.note import Note # noqa: PLC0415
        text = self.text

        seqs = self.seqs



        phase: None | str | Unset
        if isinstance(self.phase, Unset):
            phase = UNSET
        else:
            phase = self.phase

        task: None | str | Unset
        if isinstance(self.task, Unset):
            task = UNSET
        else:
            task = self.task

        since: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.since, Unset):
            since = []
            for since_item_data in self.since:
                since_item = since_item_data.to_dict()
                since.append(since_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "text": text,
            "seqs": seqs,
        })
        if phase is not UNSET:
            field_dict["phase"] = phase
        if task is not UNSET:
            field_dict["task"] = task
        if since is not UNSET:
            field_dict["since"] = since

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.note import Note # noqa: PLC0415
        d = dict(src_dict)
        text = d.pop("text")

        seqs = cast(list[int], d.pop("seqs"))


        def _parse_phase(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        phase = _parse_phase(d.pop("phase", UNSET))


        def _parse_task(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        task = _parse_task(d.pop("task", UNSET))


        _since = d.pop("since", UNSET)
        since: list[Note] | Unset = UNSET
        if _since is not UNSET:
            since = []
            for since_item_data in _since:
                since_item = Note.from_dict(since_item_data)



                since.append(since_item)


        current_state = cls(
            text=text,
            seqs=seqs,
            phase=phase,
            task=task,
            since=since,
        )


        current_state.additional_properties = d
        return current_state

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
