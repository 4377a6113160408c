from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.degraded import Degraded
from ..models.recall_mode import RecallMode
from typing import cast

if TYPE_CHECKING:
  from ..models.sessions_recall_hit import SessionsRecallHit





T = TypeVar("T", bound="SessionsRecallResult")



@_attrs_define
class SessionsRecallResult:
    """ The result of a search over several sessions.

        Attributes:
            items (list[SessionsRecallHit]): The messages that the question is about, best first; empty when there are none.
            mode (RecallMode): How a search ranks messages.
            degraded (Degraded | None): Why they were ranked by words alone although `hybrid` was asked for, or is the
                default; null otherwise.
            sessions_searched (int): How many sessions were searched.
            is_partial (bool): Whether there are more sessions, or messages, than a search looks at; the newest were
                searched.
     """

    items: list[SessionsRecallHit]
    mode: RecallMode
    degraded: Degraded | None
    sessions_searched: int
    is_partial: bool
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.sessions_recall_hit import SessionsRecallHit # noqa: PLC0415
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

        sessions_searched = self.sessions_searched

        is_partial = self.is_partial


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "items": items,
            "mode": mode,
            "degraded": degraded,
            "sessions_searched": sessions_searched,
            "is_partial": is_partial,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.sessions_recall_hit import SessionsRecallHit # noqa: PLC0415
        d = dict(src_dict)
        items = []
        _items = d.pop("items")
        for items_item_data in (_items):
            items_item = SessionsRecallHit.from_dict(items_item_data)



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


        sessions_searched = d.pop("sessions_searched")

        is_partial = d.pop("is_partial")

        sessions_recall_result = cls(
            items=items,
            mode=mode,
            degraded=degraded,
            sessions_searched=sessions_searched,
            is_partial=is_partial,
        )


        sessions_recall_result.additional_properties = d
        return sessions_recall_result

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
