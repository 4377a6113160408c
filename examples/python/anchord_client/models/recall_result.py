from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.degraded import Degraded
from ..models.recall_mode import RecallMode
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.recall_hit import RecallHit





T = TypeVar("T", bound="RecallResult")



@_attrs_define
class RecallResult:
    """ The result of a search.

        Attributes:
            items (list[RecallHit]): The messages that the question is about, best first, spread over the session; empty
                when there are none.
            mode (RecallMode): How a search ranks messages.
            degraded (Degraded | None): Why they were ranked by words alone although `hybrid` was asked for, or is the
                default; null otherwise.
            branch (None | str | Unset): The name of a branch, unique in its session.
     """

    items: list[RecallHit]
    mode: RecallMode
    degraded: Degraded | None
    branch: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.recall_hit import RecallHit # noqa: PLC0415
        items = []
        for items_item_data in self.items:
            items_item = items_item_data.to_dict()
            items.append(items_item)



        mode = self.mode.value

        degraded: None | str
        if isinstance(self.degraded, Degraded):
            degraded = self.degraded.value
        else:
            degraded = self.degraded

        branch: None | str | Unset
        if isinstance(self.branch, Unset):
            branch = UNSET
        else:
            branch = self.branch


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "items": items,
            "mode": mode,
            "degraded": degraded,
        })
        if branch is not UNSET:
            field_dict["branch"] = branch

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.recall_hit import RecallHit # noqa: PLC0415
        d = dict(src_dict)
        items = []
        _items = d.pop("items")
        for items_item_data in (_items):
            items_item = RecallHit.from_dict(items_item_data)



            items.append(items_item)


        mode = RecallMode(d.pop("mode"))




        def _parse_degraded(data: object) -> Degraded | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                degraded_type_0 = Degraded(data)



                return degraded_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Degraded | None, data)

        degraded = _parse_degraded(d.pop("degraded"))


        def _parse_branch(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        branch = _parse_branch(d.pop("branch", UNSET))


        recall_result = cls(
            items=items,
            mode=mode,
            degraded=degraded,
            branch=branch,
        )


        recall_result.additional_properties = d
        return recall_result

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
