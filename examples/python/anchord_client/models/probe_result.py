from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, BinaryIO, TextIO, TYPE_CHECKING, Generator

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

from ..models.answered_by import AnsweredBy
from ..models.probe_verdict import ProbeVerdict
from ..types import UNSET, Unset
from typing import cast

if TYPE_CHECKING:
  from ..models.probe import Probe





T = TypeVar("T", bound="ProbeResult")



@_attrs_define
class ProbeResult:
    """ The result of one probe.

        Attributes:
            probe (Probe): A question with the facts that its answer must hold.
            answer (str): The answer; `information not found` when there is none.
            verdict (ProbeVerdict): The verdict on a probe.
            missing (list[str] | Unset): The expected facts that were not found.
            answered_by (AnsweredBy | Unset): The reader that answered a probe.
            latency_ms (int | Unset): How long the model's call took, in milliseconds; one call answers several probes. 0
                for code.
            cost_micros (int | Unset): Its share of that call's cost, in millionths of the currency of the operator's
                prices.
     """

    probe: Probe
    answer: str
    verdict: ProbeVerdict
    missing: list[str] | Unset = UNSET
    answered_by: AnsweredBy | Unset = UNSET
    latency_ms: int | Unset = UNSET
    cost_micros: int | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)





    def to_dict(self) -> dict[str, Any]:
        from ..models.probe import Probe # noqa: PLC0415
        probe = self.probe.to_dict()

        answer = self.answer

        verdict = self.verdict.value

        missing: list[str] | Unset = UNSET
        if not isinstance(self.missing, Unset):
            missing = self.missing



        answered_by: str | Unset = UNSET
        if not isinstance(self.answered_by, Unset):
            answered_by = self.answered_by.value


        latency_ms = self.latency_ms

        cost_micros = self.cost_micros


        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update({
            "probe": probe,
            "answer": answer,
            "verdict": verdict,
        })
        if missing is not UNSET:
            field_dict["missing"] = missing
        if answered_by is not UNSET:
            field_dict["answered_by"] = answered_by
        if latency_ms is not UNSET:
            field_dict["latency_ms"] = latency_ms
        if cost_micros is not UNSET:
            field_dict["cost_micros"] = cost_micros

        return field_dict



    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.probe import Probe # noqa: PLC0415
        d = dict(src_dict)
        probe = Probe.from_dict(d.pop("probe"))




        answer = d.pop("answer")

        verdict = ProbeVerdict(d.pop("verdict"))




        missing = cast(list[str], d.pop("missing", UNSET))


        _answered_by = d.pop("answered_by", UNSET)
        answered_by: AnsweredBy | Unset
        if isinstance(_answered_by,  Unset):
            answered_by = UNSET
        else:
            answered_by = AnsweredBy(_answered_by)




        latency_ms = d.pop("latency_ms", UNSET)

        cost_micros = d.pop("cost_micros", UNSET)

        probe_result = cls(
            probe=probe,
            answer=answer,
            verdict=verdict,
            missing=missing,
            answered_by=answered_by,
            latency_ms=latency_ms,
            cost_micros=cost_micros,
        )


        probe_result.additional_properties = d
        return probe_result

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
