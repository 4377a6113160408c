# syntax=docker/dockerfile:1
# A release names both images by digest: --build-arg RUST_IMAGE=rust@sha256:… --build-arg BASE_IMAGE=…@sha256:…
ARG RUST_IMAGE=rust:1.95-slim-bookworm
ARG BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot
FROM ${RUST_IMAGE} AS build
WORKDIR /src
# Queries are checked against .sqlx: building needs no database.
ENV SQLX_OFFLINE=true
# The dependencies are a layer of their own, which changes with these files alone. Benches are taken out
# of the manifest, because cargo wants their sources to be there.
COPY Cargo.toml Cargo.lock ./
COPY crates/console/Cargo.toml crates/console/
COPY crates/context/Cargo.toml crates/context/
COPY crates/economy/Cargo.toml crates/economy/
COPY crates/facts/Cargo.toml crates/facts/
COPY crates/gateway/Cargo.toml crates/gateway/
COPY crates/http/Cargo.toml crates/http/
COPY crates/llm/Cargo.toml crates/llm/
COPY crates/mcp/Cargo.toml crates/mcp/
COPY crates/messages/Cargo.toml crates/messages/build.rs crates/messages/
COPY crates/postgres/Cargo.toml crates/postgres/
COPY crates/preaggregate/Cargo.toml crates/preaggregate/
COPY crates/recall/Cargo.toml crates/recall/
COPY crates/record/Cargo.toml crates/record/
COPY crates/runtime/Cargo.toml crates/runtime/
COPY crates/session/Cargo.toml crates/session/
COPY crates/store/Cargo.toml crates/store/build.rs crates/store/
COPY crates/webhooks/Cargo.toml crates/webhooks/
COPY crates/worker/Cargo.toml crates/worker/
RUN --mount=type=cache,target=/usr/local/cargo/registry,sharing=locked \
    cp Cargo.toml Cargo.whole \
    && sed -i '/^\[\[bench\]\]/,/^$/d' Cargo.toml \
    && for crate in . crates/*; do mkdir "$crate/src" && : > "$crate/src/lib.rs"; done \
    && echo 'fn main() {}' > src/main.rs \
    && cargo build --release --locked \
    && mv Cargo.whole Cargo.toml
COPY . .
# Sources that are older than the layer above would be taken for built.
RUN --mount=type=cache,target=/usr/local/cargo/registry,sharing=locked \
    touch src/main.rs src/lib.rs crates/*/src/lib.rs && cargo build --release --locked --bin anchord

# C library, root certificates (for TLS towards a language model) and no shell.
FROM ${BASE_IMAGE}
COPY --from=build /src/target/release/anchord /usr/local/bin/anchord
# By number, so that an orchestrator can see that it is not root.
USER 65532:65532
# The image has no Postgres: DATABASE_URL names one. Nothing is written to the file system.
ENV ANCHORD_LISTEN=0.0.0.0:8080 ANCHORD_LOG_FORMAT=json
EXPOSE 8080
# Signals are handled by the program itself; the first SIGTERM drains for at most 25 s.
STOPSIGNAL SIGTERM
# Asks /readyz of ANCHORD_LISTEN; a worker has no API and needs another check, see docker-compose.yml.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["anchord", "health"]
ENTRYPOINT ["anchord"]
CMD ["serve"]
