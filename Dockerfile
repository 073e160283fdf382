# syntax=docker/dockerfile:1

# Targets: `loyd`, the default, `loyd-with-tables`, and `sbom` for its file alone. Each is built on the
# platform that it is for (`docker buildx build --platform linux/amd64,linux/arm64 .`). The builder
# needs Rust 1.89 or newer and a C compiler; the result needs nothing, not even a C library.
ARG BUILD_IMAGE=rust:1.95-slim-trixie
# The stage that the binary is taken from: whoever has built it elsewhere names an image that has it
# at /out/loyd.
ARG BUILT=build

FROM ${BUILD_IMAGE} AS dependencies
WORKDIR /loyd
# Linked statically, with glibc's own allocator. No path of this stage stands in the binary, so that
# everybody who builds these sources with this compiler gets the same one.
ENV RUSTFLAGS="-C target-feature=+crt-static --remap-path-prefix=/loyd=. --remap-path-prefix=/usr/local/cargo/registry/src=cargo" \
    CARGO_PROFILE_RELEASE_STRIP=symbols
# A layer of their own, built against an empty crate: changing loyd's sources does not build them
# again. The target is named for RUSTFLAGS not to reach build scripts and macros.
COPY Cargo.toml Cargo.lock build.rs ./
COPY proto proto
COPY benches benches
RUN mkdir src \
    && echo '//! Empty.' > src/lib.rs \
    && printf '//! Empty.\nfn main() {}\n' > src/main.rs \
    && cargo build --release --locked --target "$(rustc --print host-tuple)" \
    && rm -r src

FROM dependencies AS build
COPY weights weights
COPY src src
# The empty crate must not pass for the newer one.
RUN touch src/lib.rs src/main.rs \
    && cargo build --release --locked --target "$(rustc --print host-tuple)" \
    && mkdir -p /out/cache \
    && mv target/*/release/loyd /out/loyd

# What the binary is made of, in CycloneDX's form.
FROM dependencies AS bill
ARG CARGO_CYCLONEDX=0.5.7
RUN RUSTFLAGS='' cargo install --locked --version ${CARGO_CYCLONEDX} cargo-cyclonedx
# The time and the random number that it is given would make each one another.
RUN mkdir src /out \
    && touch src/lib.rs src/main.rs \
    && cargo cyclonedx --format json --spec-version 1.5 --override-filename loyd.cdx \
    && sed -i '/"serialNumber":/d; /"timestamp":/d' loyd.cdx.json \
    && mv loyd.cdx.json /out/

FROM scratch AS sbom
COPY --from=bill /out/loyd.cdx.json /

FROM ${BUILT} AS built

FROM built AS tables
RUN ["/out/loyd", "tables", "build", "--table-dir", "/out/tables"]

FROM scratch AS runtime
COPY --from=built /out/loyd /usr/local/bin/loyd
COPY LICENSE LICENSE-APACHE LICENSE-MIT /usr/share/doc/loyd/
# What a volume for the tables begins as.
COPY --from=built --chown=65532:65532 /out/cache /var/cache/loyd

# No such user need exist: a number is enough, and what Kubernetes can check (runAsNonRoot).
USER 65532:65532
# Plain text, for a network of containers behind a proxy: with LOYD_TLS_CERT and LOYD_TLS_KEY it is TLS.
ENV LOYD_LISTEN=0.0.0.0:50051 \
    LOYD_INSECURE=true \
    LOYD_METRICS_LISTEN=0.0.0.0:9464 \
    LOYD_TABLE_DIR=/var/cache/loyd
EXPOSE 50051 9464
# Without a volume each container builds its tables anew, in some seconds beside its calls.
VOLUME /var/cache/loyd

# The binary is its own probe, so that the image needs no other. The port is that of LOYD_LISTEN
# above: whoever sets another there, or TLS, needs another health check, too.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
    CMD ["/usr/local/bin/loyd", "health", "--server", "127.0.0.1:50051", "--timeout", "2s"]

ENTRYPOINT ["/usr/local/bin/loyd"]
CMD ["serve"]

ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="loyd" \
      org.opencontainers.image.description="Solves sliding-tile puzzles over gRPC" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# The best tables of the 15-puzzle are part of it: nothing is built when it starts.
FROM runtime AS loyd-with-tables
COPY --from=tables /out/tables /usr/share/loyd
ENV LOYD_TABLE_DIR=/usr/share/loyd

FROM runtime AS loyd
COPY --from=bill /out/loyd.cdx.json /usr/share/doc/loyd/
