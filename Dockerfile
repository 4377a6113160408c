# syntax=docker/dockerfile:1
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
# Queries are checked against .sqlx: building needs no database.
ENV SQLX_OFFLINE=true
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --release --locked && cp target/release/anchord /anchord

FROM debian:bookworm-slim
# For TLS towards the language model.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home anchord
COPY --from=build /anchord /usr/local/bin/anchord
USER 10001
ENV ANCHORD_LISTEN=0.0.0.0:8080 ANCHORD_LOG_FORMAT=json
EXPOSE 8080
# The image has no Postgres: DATABASE_URL names one.
ENTRYPOINT ["anchord"]
CMD ["serve"]
