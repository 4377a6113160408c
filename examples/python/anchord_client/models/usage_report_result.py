from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.usage_report_basis import UsageReportBasis
from ..models.usage_report_verdict import UsageReportVerdict
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.context_usage import ContextUsage





T = TypeVar("T", bound="UsageReportResult")



@_attrs_define
class UsageReportResult:
    """ The result of a report.

        Attributes:
            session_id (str): The caller's name for a session (`session_id` in the API), unique per tenant.
            counted_tokens (int): The service's count for the context that was sent.
            reported_tokens (int): The provider's count.
            ratio (float | None): `reported_tokens` of `counted_tokens`; null when nothing was counted.
            basis (UsageReportBasis): The context that a usage report was compared with.
            verdict (UsageReportVerdict): The use of a report.
            context_revision (int): Grows when the correction in force moved.
            usage (ContextUsage): How full the context is, as every append and read of a session reports it.
            model (None | str | Unset): The model, as reported.
     """

    session_id: str
    counted_tokens: int
    reported_tokens: int
    ratio: float | None
    basis: UsageReportBasis
    verdict: UsageReportVerdict
    context_revision: int
    usage: ContextUsage
    model: None | str | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.context_usage import ContextUsage # noqa: PLC0415
        session_id = self.session_id

        counted_tokens = self.counted_tokens

        reported_tokens = self.reported_tokens

        ratio: float | None
        ratio = self.ratio

        basis = self.basis.value

        verdict = self.verdict.value

        context_revision = self.context_revision

        usage = self.usage.to_dict()

        model: None | str | Unset
        if isinstance(self.model, Unset):
            model = UNSET
        else:
            model = self.model


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "session_id": session_id,
            "counted_tokens": counted_tokens,
            "reported_tokens": reported_tokens,
            "ratio": ratio,
            "basis": basis,
            "verdict": verdict,
            "context_revision": context_revision,
            "usage": usage,
        })
        if model is not UNSET:
            field_dict["model"] = model

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.context_usage import ContextUsage # noqa: PLC0415
        d = dict(src_dict)
        session_id = d.pop("session_id")

        counted_tokens = d.pop("counted_tokens")

        reported_tokens = d.pop("reported_tokens")

        def _parse_ratio(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        ratio = _parse_ratio(d.pop("ratio"))


        basis = UsageReportBasis(d.pop("basis"))




        verdict = UsageReportVerdict(d.pop("verdict"))




        context_revision = d.pop("context_revision")

        usage = ContextUsage.from_dict(d.pop("usage"))




        def _parse_model(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        model = _parse_model(d.pop("model", UNSET))


        usage_report_result = cls(
            session_id=session_id,
            counted_tokens=counted_tokens,
            reported_tokens=reported_tokens,
            ratio=ratio,
            basis=basis,
            verdict=verdict,
            context_revision=context_revision,
            usage=usage,
            model=model,
        )


        usage_report_result.additional_properties = d
        return usage_report_result

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
