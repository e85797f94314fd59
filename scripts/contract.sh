#!/usr/bin/env bash
# Holds the server against its own OpenAPI document, from outside: fuzzes every operation as each role, then decides an approval with a
# client that is generated from the document. Arguments go to schemathesis.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"

bin=${OPSDECK_BIN:-$TARGET/debug/opsdeck}
export PYTHONPATH=$TOOLS/contract-$CONTRACT PYTHONDONTWRITEBYTECODE=1
home=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$home"
}
trap finish EXIT

# A preview of its own for each, with limits that no fuzzing reaches: what one role has decided, the next one finds undecided.
serve() {
  local port
  [ -z "$server" ] || kill "$server"
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  address=http://127.0.0.1:$port
  "$bin" preview --calm --listen "127.0.0.1:$port" --rate-limit-host 1000000 --rate-limit-key 1000000 >"$home/log" 2>&1 &
  server=$!
  curl --silent --fail --output /dev/null --retry 30 --retry-delay 1 --retry-connrefused "$address/readyz" || {
    cat "$home/log"
    die "the server did not become ready"
  }
}

# fuzz KEY FLAG…. One worker: several confuse Python 3.11.
fuzz() {
  local key=$1
  shift
  serve
  say "fuzzing with the key $key"
  (
    cd "$home"
    python3 -m schemathesis.cli --config-file "$ROOT/contract/schemathesis.toml" run "$address/api/v1/openapi.json" \
      --header "X-API-Key: $key" --request-timeout 10 --warnings off --no-color --workers 1 "$@"
  )
  ! grep --quiet panicked "$home/log" || die "the server panicked: $(grep panicked "$home/log")"
}

# The edges of every parameter are tried with the key that reaches most that can be undone, chance with all of them.
fuzz preview-operator --phases coverage,fuzzing,stateful --max-examples 5 "$@"
fuzz preview-viewer --phases fuzzing --max-examples 3 "$@"
fuzz preview --phases fuzzing,stateful --max-examples 3 "$@"

serve
"$bin" openapi >"$home/openapi.json"
printf 'package_name_override: opsdeck_client\npost_hooks: []\n' >"$home/client.yaml"
python3 -m openapi_python_client generate --path "$home/openapi.json" --config "$home/client.yaml" --meta none \
  --output-path "$home/client/opsdeck_client" --fail-on-warning
PYTHONPATH=$PYTHONPATH:$home/client python3 contract/client.py "$address" preview
