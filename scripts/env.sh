# shellcheck shell=bash disable=SC2034
# Sourced by every other script: the versions of the tools, where they live, and how things are said. Starts nothing.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"

TRUNK=0.21.14
BINARYEN=132.0.0
CARGO_DENY=0.20.2
RUST=$(awk -F'"' '$1 ~ /^channel/ { print $2 }' rust-toolchain.toml)
# The command must be of the very version of the library whose output it reads.
WASM_BINDGEN=$(awk -F'"' '/^name = / { name = $2 } /^version = / && name == "wasm-bindgen" { print $2 }' Cargo.lock)
# The cluster of the tests: etcd comes in the version that this Kubernetes asks for.
KUBERNETES=$(awk '$1 == "k8s.io/kubernetes" { print $2 }' server/tests/cluster/bed/go.mod)

# What tests the OpenAPI document, by its list of packages and by the Python that they are for.
CONTRACT=$({ cat contract/requirements.txt; python3 --version 2>/dev/null; } | cksum | cut -d' ' -f1)

# Outside the checkout and keyed by version: a second clone builds no tool again, and nobody's ~/.cargo/bin changes.
TOOLS=${XDG_CACHE_HOME:-$HOME/.cache}/opsdeck/tools
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}
SITE=$ROOT/target/site

PATH=$TOOLS/trunk-$TRUNK/bin:$TOOLS/wasm-bindgen-$WASM_BINDGEN/bin:$TOOLS/cargo-deny-$CARGO_DENY/bin:$TOOLS/binaryen-$BINARYEN/node_modules/.bin:$PATH
export PATH

say() { printf '%s\n' "== $*"; }

die() {
  printf '%s\n' "opsdeck: $*" >&2
  exit 1
}
