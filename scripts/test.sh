#!/usr/bin/env bash
# test.sh STAGE…: runs the stages in order, says how long each took, stops at the first that fails, and closes with the counts.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"

export INSTA_UPDATE=no
log=$ROOT/target/test
mkdir -p "$log"
rm -f "$log"/*

format() {
  cargo fmt --all --check
  shellcheck --external-sources scripts/*.sh .ci/run
  npm run --silent --prefix end2end types
}

bundle() {
  scripts/bundle.sh
  node scripts/bundle-size.mjs
}

# Server and browser build of the dashboard exclude each other, so no command may ask for all features.
lint() {
  cargo clippy --workspace --all-targets --locked -- -D warnings
  cargo clippy --package opsdeck-app --features hydrate --target wasm32-unknown-unknown --locked -- -D warnings
}

rust() {
  INSTA_SNAPSHOT_REFERENCES_FILE=$log/snapshots cargo test --workspace --locked 2>&1 | tee "$log/rust"
  find "$ROOT/api" "$ROOT/app" "$ROOT/server" -name '*.snap' | sort >"$log/stored"
  [ -s "$log/stored" ] || return 0
  sort -u "$log/snapshots" | comm -13 - "$log/stored" >"$log/unreferenced"
  [ ! -s "$log/unreferenced" ] || die "snapshots that no test reads: $(tr '\n' ' ' <"$log/unreferenced")"
}

# The binary that the Rust tests were built with: a build without their features would compile most crates once more.
server() {
  cargo test --workspace --locked --no-run
  export OPSDECK_BIN=$TARGET/debug/opsdeck
}

conformance() {
  server
  scripts/conformance.sh
}

contract() {
  server
  scripts/contract.sh
}

e2e() {
  server
  # shellcheck disable=SC2086 # several arguments
  npm run --silent --prefix end2end test -- ${ARGS:-} 2>&1 | tee "$log/e2e"
}

shots() {
  server
  npm run --silent --prefix end2end shots
}

# What the runners counted: cargo's closing line of each test binary, Playwright's of the whole run.
count() {
  cat "$log/rust" "$log/e2e" 2>/dev/null | awk -v word="$1" '
    /^test result:/ { for (i = 2; i <= NF; i++) if ($i ~ "^" word) sum += $(i - 1) }
    $1 ~ /^[0-9]+$/ && $2 == word && NF <= 3 { sum += $1 }
    END { print sum + 0 }'
}

close() {
  local status=$?
  [ $status = 0 ] || say "$stage FAILED after $((SECONDS - began)) s"
  printf '%s\n' "${times[@]}"
  echo "$(count passed) passed, $(count failed) failed"
  exit $status
}

stage=tools began=$SECONDS times=()
trap close EXIT
for stage in tools "$@"; do
  began=$SECONDS
  say "$stage"
  if [ "$stage" = tools ]; then scripts/tools.sh test; else "$stage"; fi
  times+=("$(printf '== %-12s %4d s' "$stage" $((SECONDS - began)))")
done
