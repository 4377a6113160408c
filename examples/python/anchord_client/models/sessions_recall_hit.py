from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.role import Role
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="SessionsRecallHit")



@_attrs_define
class SessionsRecallHit:
    """ A message that the question is about, and its session.

        Attributes:
            session_id (str): The caller's name for a session (`session_id` in the API), unique per tenant.
            seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
            role (Role): The role of a message's author.
            snippet (str): The stretch of the message that matches best, at most 300 characters.
            score (float): How well it matches; comparable within one reply.
            branch (None | str | Unset): The name of a branch, unique in its session.
     """

    session_id: str
    seq: int
    role: Role
    snippet: str
    score: float
    branch: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        session_id = self.session_id

        seq = self.seq

        role = self.role.value

        snippet = self.snippet

        score = self.score

        branch: None | str | Unset
        if isinstance(self.branch, Unset):
            branch = UNSET
        else:
            branch = self.branch


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "session_id": session_id,
            "seq": seq,
            "role": role,
            "snippet": snippet,
            "score": score,
        })
        if branch is not UNSET:
            field_dict["branch"] = branch

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        session_id = d.pop("session_id")

        seq = d.pop("seq")

        role = Role(d.pop("role"))




        snippet = d.pop("snippet")

        score = d.pop("score")

        def _parse_branch(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        branch = _parse_branch(d.pop("branch", UNSET))


        sessions_recall_hit = cls(
            session_id=session_id,
            seq=seq,
            role=role,
            snippet=snippet,
            score=score,
            branch=branch,
        )


        sessions_recall_hit.additional_properties = d
        return sessions_recall_hit

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
