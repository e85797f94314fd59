# syntax=docker/dockerfile:1
# docker build --tag opsdeck:0.1.0 .
# Versions stand where `make build` finds them too: Rust in rust-toolchain.toml, tools in scripts/env.sh, crates in Cargo.lock.

FROM debian:trixie-slim AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends build-essential ca-certificates nodejs npm rustup \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The tools take minutes to build and change seldom: a layer of their own, from what names their versions alone.
COPY rust-toolchain.toml Cargo.lock ./
COPY scripts scripts
COPY server/tests/cluster/bed/go.mod server/tests/cluster/bed/
RUN scripts/tools.sh build
COPY . .
RUN --mount=type=cache,target=/root/.cargo/registry \
    --mount=type=cache,target=/src/target \
    make build \
 && install -D target/release/opsdeck /image/opsdeck \
 && install -d /image/data

# The C library of the same Debian, certificates of the public authorities, and nothing to run but the one binary.
FROM gcr.io/distroless/cc-debian13:nonroot
COPY --from=build /image/opsdeck /opsdeck
# The embedded store, where there is no cluster: mount a volume here, or it goes with the container.
COPY --from=build --chown=65532:65532 /image/data /data
ENV OPSDECK_DATA_DIR=/data
USER 65532:65532
EXPOSE 8090
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s CMD ["/opsdeck", "healthcheck"]
ENTRYPOINT ["/opsdeck"]
CMD ["serve"]
