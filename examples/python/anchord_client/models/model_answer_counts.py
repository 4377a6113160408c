from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.unpublished_entry import UnpublishedEntry





T = TypeVar("T", bound="ModelAnswerCounts")



@_attrs_define
class ModelAnswerCounts:
    """ How much of a model's answer was published.

        Attributes:
            published (float | None): The published share of the entries; null without entries.
            told (int | Unset): Entries in its answer: added, changed, closed; intent and state. Default: 0.
            unverified (int | Unset): Entries that are published with the mark `unverified`: an id, a path or a figure in
                them stands in no message,
                no entry and no fact. Default: 0.
            dropped (int | Unset): Entries that were left out. Default: 0.
            losses (list[UnpublishedEntry] | Unset): The first entries that were left out.
     """

    published: float | None
    told: int | Unset = 0
    unverified: int | Unset = 0
    dropped: int | Unset = 0
    losses: list[UnpublishedEntry] | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.unpublished_entry import UnpublishedEntry # noqa: PLC0415
        published: float | None
        published = self.published

        told = self.told

        unverified = self.unverified

        dropped = self.dropped

        losses: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.losses, Unset):
            losses = []
            for losses_item_data in self.losses:
                losses_item = losses_item_data.to_dict()
                losses.append(losses_item)




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "published": published,
        })
        if told is not UNSET:
            field_dict["told"] = told
        if unverified is not UNSET:
            field_dict["unverified"] = unverified
        if dropped is not UNSET:
            field_dict["dropped"] = dropped
        if losses is not UNSET:
            field_dict["losses"] = losses

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.unpublished_entry import UnpublishedEntry # noqa: PLC0415
        d = dict(src_dict)
        def _parse_published(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        published = _parse_published(d.pop("published"))


        told = d.pop("told", UNSET)

        unverified = d.pop("unverified", UNSET)

        dropped = d.pop("dropped", UNSET)

        _losses = d.pop("losses", UNSET)
        losses: list[UnpublishedEntry] | Unset = UNSET
        if _losses is not UNSET:
            losses = []
            for losses_item_data in _losses:
                losses_item = UnpublishedEntry.from_dict(losses_item_data)



                losses.append(losses_item)


        model_answer_counts = cls(
            published=published,
            told=told,
            unverified=unverified,
            dropped=dropped,
            losses=losses,
        )


        model_answer_counts.additional_properties = d
        return model_answer_counts

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
