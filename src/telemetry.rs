//! Starts logs, traces and metrics of the process; `catalogue` lists the metrics.
//!
//! Logs go to standard error, because standard output belongs to the result of a command. The subscriber is set up
//! before the runtime, because the trace exporter has a blocking client of its own, and is dropped after it, so that
//! the last spans are sent.

mod catalogue;

use std::io::IsTerminal as _;

use anyhow::{Context as _, Result};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{self, LogFormat};

/// The tracing that must live as long as the process; dropping it sends the last spans.
#[derive(Debug)]
pub struct Telemetry {
    traces: Option<SdkTracerProvider>,
}

/// Starts logs, and traces when an endpoint is configured.
///
/// # Errors
/// When the exporter cannot be created, or a subscriber is set already.
pub fn start(config: &config::Telemetry) -> Result<Telemetry> {
    let traces = config.otlp_endpoint.as_deref().filter(|e| !e.is_empty()).map(trace_provider).transpose()?;
    let colours = std::io::stderr().is_terminal();
    let logs = match config.log_format {
        LogFormat::Text => {
            tracing_subscriber::fmt::layer().with_ansi(colours).with_writer(std::io::stderr).boxed()
        }
        LogFormat::Json => {
            tracing_subscriber::fmt::layer().json().flatten_event(true).with_writer(std::io::stderr).boxed()
        }
    };
    let spans = traces.as_ref().map(|t| tracing_opentelemetry::layer().with_tracer(t.tracer("anchord")));
    tracing_subscriber::registry()
        .with(filter(&config.filter)?)
        .with(logs)
        .with(spans)
        .try_init()
        .context("a subscriber for logs is set already")?;
    Ok(Telemetry { traces })
}

/// The log filter, without what a tenant could fill the log with: an error for each certificate of a webhook's server
/// that does not hold, of which the delivery says the same to the tenant, and lines for each request of an MCP client.
fn filter(text: &str) -> Result<Targets> {
    const OF_TENANTS: [&str; 2] = ["rustls_platform_verifier", "rmcp"];
    let filter: Targets = text.parse().context("RUST_LOG")?;
    let unnamed = OF_TENANTS.into_iter().filter(|target| !text.contains(target));
    Ok(filter.with_targets(unnamed.map(|target| (target, LevelFilter::OFF))))
}

/// Installs the metrics recorder; returns the handle that renders the metrics.
///
/// # Errors
/// When a recorder is installed already.
pub fn install_metrics() -> Result<PrometheusHandle> {
    let handle =
        recorder().and_then(PrometheusBuilder::install_recorder).context("the recorder of metrics")?;
    catalogue::describe();
    Ok(handle)
}

fn recorder() -> Result<PrometheusBuilder, BuildError> {
    catalogue::BUCKETS.iter().try_fold(PrometheusBuilder::new(), |builder, (unit, bounds)| {
        builder.set_buckets_for_metric(Matcher::Suffix((*unit).to_owned()), bounds)
    })
}

fn trace_provider(endpoint: &str) -> Result<SdkTracerProvider> {
    // The exporter's HTTP client needs a TLS crypto provider for the process, and is created before the model's
    // client. This fails when one is installed already; that is the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let exporter = SpanExporter::builder()
        .with_http()
        .with_endpoint(format!("{endpoint}/v1/traces"))
        .build()
        .context("OTEL_EXPORTER_OTLP_ENDPOINT")?;
    let service = Resource::builder().with_service_name(env!("CARGO_PKG_NAME")).build();
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(service).build())
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        if let Some(traces) = &self.traces {
            // The process is about to end, so an error cannot be reported any more.
            let _ = traces.shutdown();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;

    use opentelemetry::trace::{Span as _, Tracer as _};

    use super::*;

    #[test]
    fn nothing_that_a_tenant_could_fill_the_log_with_is_logged_unless_it_is_asked_for() {
        for (library, module) in [
            ("rustls_platform_verifier", "rustls_platform_verifier::verification"),
            ("rmcp", "rmcp::service"),
        ] {
            let logs =
                |text: &str| filter(text).expect("a filter").would_enable(module, &tracing::Level::ERROR);
            assert!(!logs("info"), "{library}");
            assert!(logs(&format!("info,{library}=error")), "{library}");
        }
    }

    #[test]
    fn a_span_reaches_the_endpoint() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
        let collector = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut request = String::new();
            BufReader::new(&stream).read_line(&mut request).expect("a request line");
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").expect("an answer");
            request
        });
        let traces = trace_provider(&endpoint).expect("an exporter");
        traces.tracer("test").start("work").end();
        drop(Telemetry { traces: Some(traces) });
        let request = collector.join().expect("the collector");
        assert_eq!(request.trim(), "POST /v1/traces HTTP/1.1");
    }
}
