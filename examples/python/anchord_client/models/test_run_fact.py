from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.test_outcome import TestOutcome
from ..models.test_run_fact_kind import TestRunFactKind
from ..types import UNSET, Unset
from typing import cast






T = TypeVar("T", bound="TestRunFact")



@_attrs_define
class TestRunFact:
    """ A run of tests.

        Attributes:
            command (str): The command.
            outcome (TestOutcome): How a test run ended.
            failing (list[str]): Names of failing tests.
            seqs (list[int]): The call and its result.
            kind (TestRunFactKind):
            passed (int | None | Unset): Tests passed.
            failed (int | None | Unset): Tests failed.
     """

    command: str
    outcome: TestOutcome
    failing: list[str]
    seqs: list[int]
    kind: TestRunFactKind
    passed: int | None | Unset = UNSET
    failed: int | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        command = self.command

        outcome = self.outcome.value

        failing = self.failing



        seqs = self.seqs



        kind = self.kind.value

        passed: int | None | Unset
        if isinstance(self.passed, Unset):
            passed = UNSET
        else:
            passed = self.passed

        failed: int | None | Unset
        if isinstance(self.failed, Unset):
            failed = UNSET
        else:
            failed = self.failed


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "command": command,
            "outcome": outcome,
            "failing": failing,
            "seqs": seqs,
            "kind": kind,
        })
        if passed is not UNSET:
            field_dict["passed"] = passed
        if failed is not UNSET:
            field_dict["failed"] = failed

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        command = d.pop("command")

        outcome = TestOutcome(d.pop("outcome"))




        failing = cast(list[str], d.pop("failing"))


        seqs = cast(list[int], d.pop("seqs"))


        kind = TestRunFactKind(d.pop("kind"))




        def _parse_passed(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        passed = _parse_passed(d.pop("passed", UNSET))


        def _parse_failed(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        failed = _parse_failed(d.pop("failed", UNSET))


        test_run_fact = cls(
            command=command,
            outcome=outcome,
            failing=failing,
            seqs=seqs,
            kind=kind,
            passed=passed,
            failed=failed,
        )


        test_run_fact.additional_properties = d
        return test_run_fact

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
