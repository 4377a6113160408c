from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.command_fact_kind import CommandFactKind
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="CommandFact")



@_attrs_define
class CommandFact:
    """ A command that was run.

        Attributes:
            command (str): The command.
            seqs (list[int]): The call and its result.
            kind (CommandFactKind):
            exit_code (int | None | Unset): Its exit code, when the result says so.
            failed (bool | None | Unset): Whether it failed, when the result says so.
     """

    command: str
    seqs: list[int]
    kind: CommandFactKind
    exit_code: int | None | Unset = UNSET
    failed: bool | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        command = self.command

        seqs = self.seqs



        kind = self.kind.value

        exit_code: int | None | Unset
        if isinstance(self.exit_code, Unset):
            exit_code = UNSET
        else:
            exit_code = self.exit_code

        failed: bool | None | Unset
        if isinstance(self.failed, Unset):
            failed = UNSET
        else:
            failed = self.failed


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "command": command,
            "seqs": seqs,
            "kind": kind,
        })
        if exit_code is not UNSET:
            field_dict["exit_code"] = exit_code
        if failed is not UNSET:
            field_dict["failed"] = failed

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        command = d.pop("command")

        seqs = cast(list[int], d.pop("seqs"))


        kind = CommandFactKind(d.pop("kind"))




        def _parse_exit_code(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        exit_code = _parse_exit_code(d.pop("exit_code", UNSET))


        def _parse_failed(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        failed = _parse_failed(d.pop("failed", UNSET))


        command_fact = cls(
            command=command,
            seqs=seqs,
            kind=kind,
            exit_code=exit_code,
            failed=failed,
        )


        command_fact.additional_properties = d
        return command_fact

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
