from enum import StrEnum

class QualityMetric(StrEnum):
    CALLERS_PROBES = "callers_probes"
    CRITICAL_PROBES = "critical_probes"
    LATENCY = "latency"
    LOW_EXAM = "low_exam"
    PROBE_PASS_RATE = "probe_pass_rate"
    SPAN_COMPRESSION = "span_compression"

    def __str__(self) -> str:
        return str(self.value)
