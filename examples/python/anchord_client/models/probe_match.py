from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.probe_match_kind import ProbeMatchKind
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="ProbeMatch")



@_attrs_define
class ProbeMatch:
    """ How many of the expected facts an answer needs.

        Attributes:
            kind (ProbeMatchKind): How an answer is judged.
            ratio (float | None | Unset): With `ratio`: the least share of the facts, above 0 and at most 1.
     """

    kind: ProbeMatchKind
    ratio: float | None | Unset = UNSET





    def to_dict(self) -> dict[str, Any]:
        kind = self.kind.value

        ratio: float | None | Unset
        if isinstance(self.ratio, Unset):
            ratio = UNSET
        else:
            ratio = self.ratio


        field_dict: dict[str, Any] = {}

        field_dict.update({
            "kind": kind,
        })
        if ratio is not UNSET:
            field_dict["ratio"] = ratio

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = ProbeMatchKind(d.pop("kind"))




        def _parse_ratio(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        ratio = _parse_ratio(d.pop("ratio", UNSET))


        probe_match = cls(
            kind=kind,
            ratio=ratio,
        )

        return probe_match

