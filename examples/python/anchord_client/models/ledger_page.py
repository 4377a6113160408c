from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast

if TYPE_CHECKING:
  from ..models.command_fact import CommandFact
  from ..models.constraint_fact import ConstraintFact
  from ..models.error_fact import ErrorFact
  from ..models.file_fact import FileFact
  from ..models.identifier_fact import IdentifierFact
  from ..models.test_run_fact import TestRunFact





T = TypeVar("T", bound="LedgerPage")



@_attrs_define
class LedgerPage:
    """ A page of facts.

        Attributes:
            items (list[CommandFact | ConstraintFact | ErrorFact | FileFact | IdentifierFact | TestRunFact]): The facts, by
                kind, and within a kind in the order of their first appearance.
            next_cursor (None | str): The `cursor` of the next page; null on the last one.
            through_seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
     """

    items: list[CommandFact | ConstraintFact | ErrorFact | FileFact | IdentifierFact | TestRunFact]
    next_cursor: None | str
    through_seq: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.command_fact import CommandFact # noqa: PLC0415
        from ..models.constraint_fact import ConstraintFact # noqa: PLC0415
        from ..models.error_fact import ErrorFact # noqa: PLC0415
        from ..models.file_fact import FileFact # noqa: PLC0415
        from ..models.identifier_fact import IdentifierFact # noqa: PLC0415
        from ..models.test_run_fact import TestRunFact # noqa: PLC0415
        items = []
        for items_item_data in self.items:
            items_item: dict[str, Any]
            if isinstance(items_item_data, FileFact):
                items_item = items_item_data.to_dict()
            elif isinstance(items_item_data, CommandFact):
                items_item = items_item_data.to_dict()
            elif isinstance(items_item_data, TestRunFact):
                items_item = items_item_data.to_dict()
            elif isinstance(items_item_data, ErrorFact):
                items_item = items_item_data.to_dict()
            elif isinstance(items_item_data, IdentifierFact):
                items_item = items_item_data.to_dict()
            else:
                items_item = items_item_data.to_dict()

            items.append(items_item)



        next_cursor: None | str
        next_cursor = self.next_cursor

        through_seq = self.through_seq


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "items": items,
            "next_cursor": next_cursor,
            "through_seq": through_seq,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.command_fact import CommandFact # noqa: PLC0415
        from ..models.constraint_fact import ConstraintFact # noqa: PLC0415
        from ..models.error_fact import ErrorFact # noqa: PLC0415
        from ..models.file_fact import FileFact # noqa: PLC0415
        from ..models.identifier_fact import IdentifierFact # noqa: PLC0415
        from ..models.test_run_fact import TestRunFact # noqa: PLC0415
        d = dict(src_dict)
        items = []
        _items = d.pop("items")
        for items_item_data in (_items):
            def _parse_items_item(data: object) -> CommandFact | ConstraintFact | ErrorFact | FileFact | IdentifierFact | TestRunFact:
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_ledger_item_type_0 = FileFact.from_dict(data)



                    return componentsschemas_ledger_item_type_0
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_ledger_item_type_1 = CommandFact.from_dict(data)



                    return componentsschemas_ledger_item_type_1
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_ledger_item_type_2 = TestRunFact.from_dict(data)



                    return componentsschemas_ledger_item_type_2
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_ledger_item_type_3 = ErrorFact.from_dict(data)



                    return componentsschemas_ledger_item_type_3
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_ledger_item_type_4 = IdentifierFact.from_dict(data)



                    return componentsschemas_ledger_item_type_4
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                if not isinstance(data, dict):
                    raise TypeError()
                componentsschemas_ledger_item_type_5 = ConstraintFact.from_dict(data)



                return componentsschemas_ledger_item_type_5

            items_item = _parse_items_item(items_item_data)

            items.append(items_item)


        def _parse_next_cursor(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        next_cursor = _parse_next_cursor(d.pop("next_cursor"))


        through_seq = d.pop("through_seq")

        ledger_page = cls(
            items=items,
            next_cursor=next_cursor,
            through_seq=through_seq,
        )


        ledger_page.additional_properties = d
        return ledger_page

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
