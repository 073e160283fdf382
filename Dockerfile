# syntax=docker/dockerfile:1

# The builder needs Rust 1.88 or newer and a C compiler; the runtime needs only a glibc that is no
# older than the builder's.
ARG BUILD_IMAGE=rust:1.95-slim-trixie
ARG RUNTIME_IMAGE=debian:trixie-slim

FROM ${BUILD_IMAGE} AS build
WORKDIR /loyd

# The dependencies are a layer of their own, built against an empty crate: changing loyd's sources
# does not build them again.
COPY Cargo.toml Cargo.lock build.rs ./
COPY proto proto
COPY benches benches
RUN mkdir src \
    && echo '//! Empty.' | tee src/lib.rs > src/main.rs \
    && echo 'fn main() {}' >> src/main.rs \
    && cargo build --release --locked \
    && rm -r src

COPY weights weights
COPY src src
# The empty crate must not pass for the newer one.
RUN touch src/lib.rs src/main.rs \
    && cargo build --release --locked \
    && strip target/release/loyd

# What a volume for the tables begins as.
RUN mkdir /cache

FROM ${RUNTIME_IMAGE}
COPY --from=build /loyd/target/release/loyd /usr/local/bin/loyd
COPY --from=build --chown=65532:65532 /cache /var/cache/loyd

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
# above: whoever sets another there needs another health check, too.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
    CMD ["/usr/local/bin/loyd", "check", "--server", "127.0.0.1:50051", "--timeout", "2s", "1 2 3 0"]

ENTRYPOINT ["/usr/local/bin/loyd"]
CMD ["serve"]
