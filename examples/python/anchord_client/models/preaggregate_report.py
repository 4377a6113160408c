from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from typing import cast






T = TypeVar("T", bound="PreaggregateReport")



@_attrs_define
class PreaggregateReport:
    """ Sizes, findings and coverage of all files.

        Attributes:
            original_bytes (int): Bytes of all files before.
            condensed_bytes (int): Bytes of all files after.
            reduction (float): The share of bytes that was saved: 1 − `condensed_bytes` / `original_bytes`; 0 when nothing
                was condensed.
            threshold_bytes (int): Bytes from which on files are condensed.
            kept (int): Valid findings of all files.
            rejected (int): Findings of all files that are not valid.
            coverage_incomplete (bool): Whether an expected file is absent.
            missing (list[str]): The expected files that are absent, in the order of the request.
            warnings (list[str]): Warnings for the reader.
     """

    original_bytes: int
    condensed_bytes: int
    reduction: float
    threshold_bytes: int
    kept: int
    rejected: int
    coverage_incomplete: bool
    missing: list[str]
    warnings: list[str]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        original_bytes = self.original_bytes

        condensed_bytes = self.condensed_bytes

        reduction = self.reduction

        threshold_bytes = self.threshold_bytes

        kept = self.kept

        rejected = self.rejected

        coverage_incomplete = self.coverage_incomplete

        missing = self.missing



        warnings = self.warnings




        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "original_bytes": original_bytes,
            "condensed_bytes": condensed_bytes,
            "reduction": reduction,
            "threshold_bytes": threshold_bytes,
            "kept": kept,
            "rejected": rejected,
            "coverage_incomplete": coverage_incomplete,
            "missing": missing,
            "warnings": warnings,
        })

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        original_bytes = d.pop("original_bytes")

        condensed_bytes = d.pop("condensed_bytes")

        reduction = d.pop("reduction")

        threshold_bytes = d.pop("threshold_bytes")

        kept = d.pop("kept")

        rejected = d.pop("rejected")

        coverage_incomplete = d.pop("coverage_incomplete")

        missing = cast(list[str], d.pop("missing"))


        warnings = cast(list[str], d.pop("warnings"))


        preaggregate_report = cls(
            original_bytes=original_bytes,
            condensed_bytes=condensed_bytes,
            reduction=reduction,
            threshold_bytes=threshold_bytes,
            kept=kept,
            rejected=rejected,
            coverage_incomplete=coverage_incomplete,
            missing=missing,
            warnings=warnings,
        )


        preaggregate_report.additional_properties = d
        return preaggregate_report

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
