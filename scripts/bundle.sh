#!/usr/bin/env bash
# Builds target/site: the dashboard for the browser, its styles and the static files, each also in brotli and gzip.
# Does nothing when nothing that goes in has changed.
# shellcheck source=scripts/env.sh
source "$(dirname "$0")/env.sh"

inputs() {
  find api app style public -type f -print0 | sort -z
  printf '%s\0' .cargo/config.toml Cargo.toml Cargo.lock Trunk.toml rust-toolchain.toml scripts/bundle.sh scripts/snip.mjs scripts/compress.mjs
}

stamp=$ROOT/target/site.stamp
now=$(inputs | xargs -0 sha256sum | sha256sum)
[ -d "$SITE" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$now" ] && exit

"$ROOT/scripts/tools.sh" build
say "building the browser bundle"
# Panics name the file they stand in: by its crate, and not by where it lies on the machine that built it. The variable takes the place of
# what .cargo/config.toml says. Symbols have their types in their names.
sysroot=$(rustc --print sysroot)
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="--cfg erase_components -C symbol-mangling-version=v0 \
  --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src=crates --remap-path-prefix=$sysroot=rust"
# Trunk is offline lest it download tools of its own; the crates must be there by then.
cargo fetch --quiet --locked --target wasm32-unknown-unknown --target "$(rustc --print host-tuple)"
RUST_BACKTRACE=0 trunk build --release --offline --log=warn

new=$ROOT/target/site.new
rm -rf "$new"
cp -R public "$new"
cp target/trunk/opsdeck-app.js "$new/app.js"
# Every erased view points to a future that hydrates it piece by piece, and every route to what lists it; only hydrate_lazy and a server would
# call them.
node scripts/snip.mjs target/trunk/opsdeck-app_bg.wasm target/trunk/snipped.wasm \
  '^<_ as .*IntoAny>::into_any::hydrate_async::<.*>::\{closure#0\}$' \
  '^<_ as .*IntoAnyNestedRoute>::into_any_nested_route::generate_routes::<'
# rustc has optimised for size already. What -Oz takes off the module makes brotli's outcome a tenth larger; these passes make both smaller. By
# name, the instances of a generic lie side by side, and brotli sees how alike they are.
wasm-opt --reorder-functions-by-name --strip-debug --strip-producers --strip-target-features --simplify-globals --dae --directize --vacuum \
  --duplicate-function-elimination --remove-unused-module-elements --rse --vacuum --simplify-locals-nostructure \
  --coalesce-locals --vacuum --merge-blocks --remove-unused-brs --duplicate-function-elimination --code-folding --vacuum \
  --reorder-locals --duplicate-function-elimination \
  --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals \
  --enable-reference-types --enable-multivalue target/trunk/snipped.wasm -o "$new/app_bg.wasm"
# Tokens and the base come first, because the components stand on them.
{
  cat style/tokens.css style/base.css
  find style -name '*.css' ! -name tokens.css ! -name base.css -print0 | sort -z | xargs -0 cat
} >"$new/main.css"
node scripts/compress.mjs "$new"

# A server that runs from this checkout reads the folder: it sees the old one or the new one, never half.
rm -rf "$SITE"
mv "$new" "$SITE"
printf '%s\n' "$now" >"$stamp"
