# Relay in a container: `docker build -t relay .` in a checkout. BASE brings Node 22.18 or later and apt; with glibc, so not Alpine.
ARG BASE=docker.io/library/node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# The very package that `npm pack` makes, with what package-lock.json pins. PostgreSQL is another container's.
RUN node --no-warnings scripts/build.ts \
  && mkdir /relay \
  && tar -xzf "$(npm pack --ignore-scripts --silent)" -C /relay --strip-components=1 \
  && cp package-lock.json /relay/ \
  && npm ci --prefix /relay --ignore-scripts --omit=dev --omit=optional \
  && rm /relay/package-lock.json

FROM ${BASE}
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git \
  && rm -rf /var/lib/apt/lists/* \
  && groupadd --gid 10001 relay \
  && useradd --uid 10001 --gid relay --create-home --home-dir /var/lib/relay --shell /usr/sbin/nologin relay
COPY --from=build /relay /opt/relay
RUN ln -s /opt/relay/bin/relay.js /usr/local/bin/relay
ENV NODE_ENV=production RELAY_HOME=/var/lib/relay RELAY_SPEC_ROOT=/var/lib/relay/specs RELAY_HOST=0.0.0.0 RELAY_PORT=8080
USER 10001:10001
WORKDIR /var/lib/relay
VOLUME /var/lib/relay
EXPOSE 8080
STOPSIGNAL SIGTERM
# For the role `web`; the others have no port.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.RELAY_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["relay"]
CMD ["serve"]
