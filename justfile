# Every command that a person runs here. `just` lists them.

set dotenv-load

_list:
    @just --list --unsorted

# Run the service: API, workers and, without DATABASE_URL, a database of its own
serve *flags:
    cargo run --release -- serve {{ flags }}

# Run every test; they bring a Postgres of their own
test *filter:
    env -u DATABASE_URL cargo test {{ filter }}

# Run the examples: the README's agent, the gateway's, and generated clients (needs Python 3, Node.js, Java)
examples *binary:
    examples/run {{ binary }}

# Make the generated part of the clients' packages from the OpenAPI document
clients:
    clients/python/run generate

# Build the Python package, install it into an empty environment, test and type-check it there (needs Python 3 with venv, Node.js)
clients-python *binary:
    clients/python/run {{ binary }}

# Pack the client for TypeScript, install it into empty folders and test it there, its adapters in their frameworks (needs Node.js, Python 3)
clients-typescript *args:
    clients/typescript/run {{ args }}

# Make what is generated of the client for TypeScript anew from the OpenAPI document
clients-typescript-generate:
    clients/typescript/run --generate

# Check the links of the documentation and make a site of it in target/site/html; no network but for the generator's packages (needs Python 3 with venv)
docs *flags:
    site/run {{ flags }}

# Run real coding agents through the gateway, against a provider that plays a task; docs/gateway.md has what came of it (needs
# Linux, root or namespaces for users, Python 3 with venv, Node.js 20)
agents *flags:
    #!/usr/bin/env sh
    set -eu
    export AGENTS="$PWD/target/agents"
    npm install --silent --no-audit --no-fund --prefix "$AGENTS" \
        @anthropic-ai/claude-code@2.1.332 @openai/codex@0.171.0 opencode-ai@1.18.33
    [ -x "$AGENTS/venv/bin/mini" ] || {
        python3 -m venv "$AGENTS/venv"
        "$AGENTS/venv/bin/pip" install --quiet --disable-pip-version-check mini-swe-agent==2.4.6
    }
    SQLX_OFFLINE=true cargo build --quiet
    for agent in claude codex codex-openai opencode opencode-messages opencode-responses "mini --assemble"; do
        printf '\n== %s\n' "$agent"
        python3 tests/agents/run.py $agent {{ flags }}
    done

# Take the pictures of docs/console.md (needs chromium and chromium-driver)
console-shots:
    ANCHORD_CONSOLE_SHOTS=1 env -u DATABASE_URL cargo test --test journeys -- console::looks::the_pictures

# Build what a release consists of into target/dist: archive, Debian package, bill of materials, checksums (docs/release.md)
release folder="target/dist":
    deploy/release {{ folder }}

# Check the Kubernetes base against the schemas of its API, and the recipe of the image (needs Python 3 with venv)
deploy-check:
    deploy/check

# What CI runs
ci:
    .ci/run

# Check format and lints
lint:
    cargo fmt --all --check
    cargo clippy --locked --all-targets -- -D warnings

# Format
fmt:
    cargo fmt --all

# Check licences, advisories and sources of dependencies (needs cargo-deny)
deny:
    cargo deny check

# Put service and pgbench under the same load, print ratios and write docs/performance.md; --quick and --parts only look
bench *flags:
    #!/usr/bin/env sh
    set -eu
    lines=$(mktemp)
    trap 'rm -f "$lines"' EXIT
    cargo bench --bench load -- --json "$lines" {{ flags }}
    # A run of some parts has nothing for the document.
    if grep -q '"is_complete":true' "$lines"; then
        cargo bench --bench digest -- --parts sessions --rounds 5 --json "$lines"
        cargo bench --bench performance -- "$lines"
    fi

# Replay the corpus of the tests and print what moved; --record writes the figures down
corpus *flags:
    #!/usr/bin/env sh
    set -eu
    if [ "{{ flags }}" = "--record" ]; then export ANCHORD_CORPUS_RECORD=1; fi
    cargo test --test journeys -- corpus --nocapture

# Measure the deterministic part on transcripts and hostile inputs (a folder of transcripts may be named)
bench-digest *flags:
    cargo bench --bench digest -- {{ flags }}

# Play sessions back and compare what their prompts cost and know with other ways (--sessions names a folder)
bench-economy *flags:
    cargo bench --bench economy -- {{ flags }}

# Let an agent that depends on its memory do tasks, and compare how often it does and what that costs (--quick only looks)
bench-agent *flags:
    cargo bench --bench agent -- {{ flags }}

# Ask exams of what a reader of the context gets, and what it costs, over windows and fills (folders may be named)
exams *flags:
    cargo bench --bench exams -- {{ flags }}

# Check every context of every prefix of transcripts against the providers' rules (a folder may be named)
bench-validity *flags:
    cargo bench --bench validity -- {{ flags }}

# Measure a transcript sync beyond reading its body, alone, beside load and after a restart, and sessions with many branches
bench-sync *flags:
    cargo bench --bench sync -- {{ flags }}

# Measure what the gateway adds until the first byte of an answer, beside a proxy that only passes through; fails beyond the limits
bench-gateway *flags:
    cargo bench --bench gateway -- {{ flags }}

# Ask the sessions of a folder by words and with an embeddings server, and compare what is found; fails where the second finds less
bench-recall folder url model="all-minilm" *flags:
    cargo bench --bench recall -- {{ folder }} {{ url }} {{ model }} {{ flags }}

# Measure for how long writers are refused while their tenant is moved to another server (needs Python 3)
bench-moving *flags:
    cargo build --release
    python3 benches/moving.py {{ flags }}

# Measure appends of four tenants in four cells beside four tenants in one (needs Python 3)
bench-cells *flags:
    cargo build --release
    python3 benches/cells.py {{ flags }}

# Call every operation at its bounds as one tenant and measure what another notices (--only names operations)
bench-hostile *flags:
    cargo bench --bench hostile -- {{ flags }}

# Renew the committed OpenAPI document
openapi:
    mkdir -p openapi
    cargo run --quiet -- openapi > openapi/anchord.json

# Record the examples of the OpenAPI document's replies anew, and renew the document
openapi-examples: && openapi
    ANCHORD_EXAMPLES_RECORD=1 env -u DATABASE_URL cargo test --test journeys -- examples::every_reply

# Lint the OpenAPI document with two linters; a warning fails (needs Node.js)
openapi-lint:
    npx --yes @redocly/cli@2 lint openapi/anchord.json --config openapi/redocly.yaml
    npx --yes @stoplight/spectral-cli@6 lint openapi/anchord.json --ruleset openapi/spectral.yaml --fail-severity warn

# Fuzz every operation of a server of its own from the OpenAPI document (needs Python 3)
fuzz *flags:
    fuzz/run {{ flags }}

# Fuzz every parser of message content on the stable compiler (--seconds is for each target)
fuzz-content *flags:
    cargo bench --bench fuzz-content -- {{ flags }}

# The same targets under libFuzzer, which sees what code an input reaches (needs cargo-fuzz, a nightly compiler)
fuzz-content-libfuzzer *flags:
    cargo +nightly fuzz run --fuzz-dir fuzz/content/libfuzzer content -- -max_total_time=180 {{ flags }}

# Renew the checked metadata of queries, on a database that may be reset (needs sqlx-cli)
sqlx-prepare database="postgres://postgres@127.0.0.1:5432/anchord_prepare":
    cargo sqlx database reset -y --database-url {{ database }}
    cargo sqlx prepare --database-url {{ database }} -- --all-targets

# Kill API, workers and database in random order under load and check what clients were promised; the tests do it 20 times
kills count="200" seed="1":
    ANCHORD_KILLS={{ count }} ANCHORD_KILLS_SEED={{ seed }} cargo test --test journeys -- kills:: --nocapture

# Create the schema of an empty database
migrate *flags:
    cargo run -- migrate {{ flags }}

# Compress a transcript without server and database
compress file *flags:
    cargo run --release --quiet -- compress {{ file }} {{ flags }}

# Run service and Postgres in containers
up:
    docker compose up --build --wait
