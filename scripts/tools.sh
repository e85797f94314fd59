#!/usr/bin/env bash
# Installs what is missing and says nothing about what is there. `tools.sh build` for building, `tools.sh test` for
# testing too, `tools.sh deny` for the check of dependencies, `tools.sh cluster` for a real API server.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"

require() {
  command -v "$1" >/dev/null || die "$1 is missing: $2"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "root is needed for: $* (run it as root, or install sudo)"
  fi
}

# debian COMMAND…: each is the name of a package too.
debian() {
  local missing=()
  for command in "$@"; do command -v "$command" >/dev/null || missing+=("$command"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || die "missing: ${missing[*]}: install them with your system's packages"
  say "installing ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "${missing[@]}" >/dev/null
}

# One installation at a time on this machine, and none is ever seen half done.
into_cache() {
  local tool=$1
  shift
  [ -d "$TOOLS/$tool" ] && return
  mkdir -p "$TOOLS"
  (
    flock 9
    [ -d "$TOOLS/$tool" ] && exit
    say "installing $tool into $TOOLS"
    unfinished=$(mktemp -d "$TOOLS/.$tool.XXXXXX")
    trap 'rm -rf "$unfinished"' EXIT
    "$@" "$unfinished"
    chmod 755 "$unfinished"
    mv "$unfinished" "$TOOLS/$tool"
  ) 9>"$TOOLS/.lock"
}

# crate NAME VERSION [FLAG…] ROOT. These run a few times an hour for seconds: optimising them costs more than it gives.
crate() {
  local name=$1 version=$2 root=${*: -1}
  env -u CARGO_TARGET_DIR -u RUSTFLAGS \
    CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
    cargo install --quiet "$name" --version "$version" "${@:3:$#-3}" --root "$root"
}

package() {
  npm install --silent --no-save --no-audit --no-fund --prefix "$2" "$1"
}

# Beside each other in one folder, not in an environment of their own: that could not be moved into place.
python_packages() {
  PIP_ROOT_USER_ACTION=ignore python3 -m pip install --quiet --disable-pip-version-check --no-deps --requirement "$1" --target "$2"
}

for_build() {
  require cargo "install Rust $RUST from https://rustup.rs"
  require cc "install a C compiler, on Debian: apt-get install build-essential"
  require node "install Node.js 20 or newer"
  require npm "install npm, which comes with Node.js"
  [ "$(node -p 'parseInt(process.versions.node)')" -ge 20 ] || die "Node.js $(node -v) is too old: install 20 or newer"
  if ! [ -d "$(rustc --print sysroot 2>/dev/null)/lib/rustlib/wasm32-unknown-unknown" ]; then
    require rustup "install it from https://rustup.rs, or give this Rust the target wasm32-unknown-unknown"
    say "installing Rust $RUST and its wasm32-unknown-unknown target"
    rustup toolchain install "$RUST" --no-self-update --profile minimal --component rustfmt,clippy --target wasm32-unknown-unknown
  fi
  into_cache "trunk-$TRUNK" crate trunk "$TRUNK" --locked
  # Without --locked: the lock file of this release names a version that the index lacks.
  into_cache "wasm-bindgen-$WASM_BINDGEN" crate wasm-bindgen-cli "$WASM_BINDGEN" --no-default-features --bin wasm-bindgen
  into_cache "binaryen-$BINARYEN" package "binaryen@$BINARYEN"
}

for_test() {
  for_build
  [ -x "${CHROMIUM:-/usr/bin/chromium}" ] || debian chromium
  debian shellcheck python3
  python3 -m pip --version >/dev/null 2>&1 || debian python3-pip
  into_cache "contract-$CONTRACT" python_packages contract/requirements.txt
  if ! cmp -s end2end/package-lock.json end2end/node_modules/.installed; then
    say "installing the browser tests' packages"
    npm ci --silent --no-audit --no-fund --prefix end2end
    cp end2end/package-lock.json end2end/node_modules/.installed
  fi
  if [ -d "$TOOLS/cluster-$KUBERNETES" ] || command -v go >/dev/null; then
    for_cluster
  elif [ "${CI:-}" = true ]; then
    die "go is missing: without it nothing is tested on a real API server, and CI=true allows no gap"
  else
    say "go is missing: the tests on a real API server (server/tests/cluster) are left out"
  fi
}

# cluster ROOT: kube-apiserver and etcd. Their versions are those of server/tests/cluster/bed/go.mod.
cluster() {
  local version=k8s.io/component-base/version number=${KUBERNETES#v}
  (
    cd server/tests/cluster/bed
    GOFLAGS=-mod=readonly CGO_ENABLED=0 go build -trimpath -o "$1/" \
      -ldflags "-s -w -X $version.gitVersion=$KUBERNETES -X $version.gitMajor=${number%%.*} -X $version.gitMinor=$(cut -d. -f2 <<<"$number")" \
      go.etcd.io/etcd/server/v3 k8s.io/kubernetes/cmd/kube-apiserver
  )
  mv "$1/server" "$1/etcd"
}

for_cluster() {
  [ -d "$TOOLS/cluster-$KUBERNETES" ] && return
  require go "install Go 1.24 or newer from https://go.dev/dl; it builds etcd and kube-apiserver"
  into_cache "cluster-$KUBERNETES" cluster
}

for_deny() {
  require cargo "install Rust $RUST from https://rustup.rs"
  into_cache "cargo-deny-$CARGO_DENY" crate cargo-deny "$CARGO_DENY" --locked
}

case ${1:-} in
  build | test | deny | cluster) "for_$1" ;;
  *) die "usage: tools.sh build|test|deny|cluster" ;;
esac
