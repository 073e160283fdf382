# syntax=docker/dockerfile:1

# Targets: `loyd` (the default), `loyd-with-tables`, and `sbom`, which holds only the bill of materials.
# Each is built on the platform that it is for (`docker buildx build --platform
# linux/amd64,linux/arm64 .`). The builder needs Rust 1.89 or newer and a C compiler; the result needs
# nothing, not even a C library.
ARG BUILD_IMAGE=rust:1.95-slim-trixie
# The stage that the binary is taken from. To use a binary built elsewhere, name an image that has
# it at /out/loyd.
ARG BUILT=build

FROM ${BUILD_IMAGE} AS dependencies
WORKDIR /loyd
# Linked statically, with glibc's own allocator. The binary contains no path of this stage, so that
# everybody who builds these sources with this compiler gets the same binary.
ENV RUSTFLAGS="-C target-feature=+crt-static --remap-path-prefix=/loyd=. --remap-path-prefix=/usr/local/cargo/registry/src=cargo" \
    CARGO_PROFILE_RELEASE_STRIP=symbols
# Dependencies are a layer of their own, built against an empty crate, so that changing loyd's sources
# does not rebuild them. The target is named so that RUSTFLAGS does not reach build scripts and macros.
COPY Cargo.toml Cargo.lock build.rs ./
COPY proto proto
COPY benches benches
# Optional features of loyd, such as otlp.
ARG FEATURES=""
RUN mkdir src \
    && echo '//! Empty.' > src/lib.rs \
    && printf '//! Empty.\nfn main() {}\n' > src/main.rs \
    && cargo build --release --locked --features "${FEATURES}" --target "$(rustc --print host-tuple)" \
    && rm -r src

FROM dependencies AS build
COPY weights weights
COPY src src
# Otherwise the empty crate could pass as newer.
RUN touch src/lib.rs src/main.rs \
    && cargo build --release --locked --features "${FEATURES}" --target "$(rustc --print host-tuple)" \
    && mkdir -p /out/cache \
    && mv target/*/release/loyd /out/loyd

# A stage of its own, so that it is compiled once, not after each change of Cargo.lock or the contract.
FROM ${BUILD_IMAGE} AS cyclonedx
ARG CARGO_CYCLONEDX=0.5.7
RUN cargo install --locked --version ${CARGO_CYCLONEDX} --root /out cargo-cyclonedx

# The binary's bill of materials in CycloneDX format: the crates of the chosen features, and the C library, which is linked
# statically too and which cargo does not know.
FROM dependencies AS bill
COPY --from=cyclonedx /out/bin/cargo-cyclonedx /usr/local/bin/
# The timestamp and random serial number are removed because they differ in each build.
RUN mkdir src /out \
    && touch src/lib.rs src/main.rs \
    && cargo cyclonedx --format json --spec-version 1.5 --override-filename loyd.cdx --features "${FEATURES}" \
    && libc="$(dpkg-query --show --showformat="\${source:Version}" libc6-dev)" \
    && purl="pkg:deb/debian/glibc@${libc}" \
    && library="{\"type\": \"library\", \"bom-ref\": \"${purl}\", \"name\": \"glibc\", \"version\": \"${libc}\", \"purl\": \"${purl}\"}" \
    && sed -i "/\"serialNumber\":/d; /\"timestamp\":/d; s|^  \"components\": \[$|&\n    ${library},|" loyd.cdx.json \
    && grep -q "${purl}" loyd.cdx.json \
    && mv loyd.cdx.json /out/

FROM scratch AS sbom
COPY --from=bill /out/loyd.cdx.json /

FROM ${BUILT} AS built

FROM built AS tables
RUN ["/out/loyd", "tables", "build", "--table-dir", "/out/tables"]

FROM scratch AS runtime
COPY --from=built /out/loyd /usr/local/bin/loyd
COPY LICENSE LICENSE-APACHE LICENSE-MIT /usr/share/doc/loyd/
# The initial content of a volume for the tables.
COPY --from=built --chown=65532:65532 /out/cache /var/cache/loyd

# No such user needs to exist. A number is enough, and Kubernetes can check it (runAsNonRoot).
USER 65532:65532
# Plain text, for a container network behind a proxy. Setting LOYD_TLS_CERT and LOYD_TLS_KEY enables TLS.
# GLIBC_TUNABLES has each thread keep 64 freed blocks of a size instead of seven: with 64 calls in progress, a cheap one takes
# a tenth less CPU (docs/capacity.md).
ENV LOYD_LISTEN=0.0.0.0:50051 \
    LOYD_INSECURE=true \
    LOYD_METRICS_LISTEN=0.0.0.0:9464 \
    LOYD_TABLE_DIR=/var/cache/loyd \
    GLIBC_TUNABLES=glibc.malloc.tcache_count=64
EXPOSE 50051 9464
# Without a volume each container builds its tables anew, in a few seconds beside its calls.
VOLUME /var/cache/loyd

# The binary is its own probe, so the image needs no other, and asks where no certificate is needed. The port is
# that of LOYD_METRICS_LISTEN above: with another port, the health check must be changed too.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
    CMD ["/usr/local/bin/loyd", "health", "--metrics", "127.0.0.1:9464", "--timeout", "2s"]

ENTRYPOINT ["/usr/local/bin/loyd"]
CMD ["serve"]

ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="loyd" \
      org.opencontainers.image.description="Solves sliding-tile puzzles over gRPC" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# Includes the best tables of the 15-puzzle with the blank in a corner, so that none of those is built at startup.
FROM runtime AS loyd-with-tables
COPY --from=bill /out/loyd.cdx.json /usr/share/doc/loyd/
COPY --from=tables /out/tables /usr/share/loyd
ENV LOYD_TABLE_DIR=/usr/share/loyd

FROM runtime AS loyd
COPY --from=bill /out/loyd.cdx.json /usr/share/doc/loyd/
