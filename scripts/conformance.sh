#!/usr/bin/env bash
# Imports the recorded objects into a store of its own, serves them and compares the answers. Arguments go to conformance.py.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"

bin=${OPSDECK_BIN:-$TARGET/debug/opsdeck}
home=$(mktemp -d)
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$home"
}
trap finish EXIT

for role in viewer operator admin odd; do
  printf -- '- key: conformance-%s\n  role: %s\n  name: %s\n' "$role" "$role" "$role"
done >"$home/keys.yaml"

"$bin" import --data-dir "$home/data" -f conformance/dump.yaml
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$bin" serve --source embedded --no-settler --data-dir "$home/data" --api-keys-file "$home/keys.yaml" \
  --listen "127.0.0.1:$port" >"$home/log" 2>&1 &
server=$!
curl --silent --fail --output /dev/null --retry 30 --retry-delay 1 --retry-connrefused "http://127.0.0.1:$port/readyz" || {
  cat "$home/log"
  die "the server did not become ready"
}
python3 conformance/conformance.py "http://127.0.0.1:$port" "$@" \
  --keys viewer=conformance-viewer,operator=conformance-operator,admin=conformance-admin,odd=conformance-odd
