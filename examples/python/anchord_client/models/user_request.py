from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.user_request_state import UserRequestState
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="UserRequest")



@_attrs_define
class UserRequest:
    """ A person's request.

        Attributes:
            text (str): The request, quoted and shortened.
            state (UserRequestState): The state of a request.
            seqs (list[int]): The messages that it came from.
            superseded_by (None | str | Unset): The request that replaced it.
            outcome (None | str | Unset): The outcome, as a model summarised it.
     """

    text: str
    state: UserRequestState
    seqs: list[int]
    superseded_by: None | str | Unset = UNSET
    outcome: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        text = self.text

        state = self.state.value

        seqs = self.seqs



        superseded_by: None | str | Unset
        if isinstance(self.superseded_by, Unset):
            superseded_by = UNSET
        else:
            superseded_by = self.superseded_by

        outcome: None | str | Unset
        if isinstance(self.outcome, Unset):
            outcome = UNSET
        else:
            outcome = self.outcome


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "text": text,
            "state": state,
            "seqs": seqs,
        })
        if superseded_by is not UNSET:
            field_dict["superseded_by"] = superseded_by
        if outcome is not UNSET:
            field_dict["outcome"] = outcome

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        text = d.pop("text")

        state = UserRequestState(d.pop("state"))




        seqs = cast(list[int], d.pop("seqs"))


        def _parse_superseded_by(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        superseded_by = _parse_superseded_by(d.pop("superseded_by", UNSET))


        def _parse_outcome(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        outcome = _parse_outcome(d.pop("outcome", UNSET))


        user_request = cls(
            text=text,
            state=state,
            seqs=seqs,
            superseded_by=superseded_by,
            outcome=outcome,
        )


        user_request.additional_properties = d
        return user_request

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
