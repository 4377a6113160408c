//! Reads and writes the trace context (W3C `traceparent`) that is stored with a job, so that the job continues the
//! trace of the request that enqueued it.
//!
//! Without an exporter no span has a context, and these functions do nothing.
//!
//! The trace context is in the job's row, because the process that enqueues and the one that works share
//! nothing else. For appends that shared a transaction the newest one's trace is stored, because they start
//! one job. It is not sent to a model's server, which belongs to a third party.

use std::collections::HashMap;

use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The name of the header, which is also the propagator's key.
pub const HEADER: &str = "traceparent";

/// The trace context of the current span; `None` when no span is exported.
pub fn current() -> Option<String> {
    let context = Span::current().context();
    if !context.span().span_context().is_valid() {
        return None;
    }
    let mut carrier = HashMap::new();
    TraceContextPropagator::new().inject_context(&context, &mut carrier);
    carrier.remove(HEADER)
}

/// Makes a span the child of the span in `parent`. A `parent` that cannot be parsed is ignored.
pub fn continue_from(span: &Span, parent: &str) {
    let carrier = HashMap::from([(HEADER.to_owned(), parent.to_owned())]);
    let context = TraceContextPropagator::new().extract(&carrier);
    if context.span().span_context().is_valid() {
        // Fails where nothing is exported, and then there is nothing to continue.
        let _ = span.set_parent(context);
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::TracerProvider as _;
    use opentelemetry_sdk::trace::SdkTracerProvider;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn what_is_not_exported_has_no_context() {
        assert_eq!(current(), None);
        tracing::info_span!("work").in_scope(|| assert_eq!(current(), None));
    }

    #[test]
    fn a_trace_goes_on_under_a_span_of_its_own() {
        let traces = SdkTracerProvider::builder().build();
        let layer = tracing_opentelemetry::layer().with_tracer(traces.tracer("test"));
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            let span = tracing::info_span!("work");
            continue_from(&span, PARENT);
            let here = span.in_scope(current).expect("a context");
            assert_eq!(here.len(), PARENT.len());
            assert_eq!(here.get(..36), PARENT.get(..36), "another trace");
            assert_ne!(here, PARENT);
        });
    }

    #[test]
    fn what_is_no_context_is_passed_over() {
        let traces = SdkTracerProvider::builder().build();
        let layer = tracing_opentelemetry::layer().with_tracer(traces.tracer("test"));
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            for bad in ["", "00", "ünicode", "00-0-0-0", &"0".repeat(100_000)] {
                let span = tracing::info_span!("work");
                continue_from(&span, bad);
                assert!(span.in_scope(current).is_some_and(|here| here.len() == PARENT.len()), "{bad:.20}");
            }
        });
    }
}
