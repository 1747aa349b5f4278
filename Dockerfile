# syntax=docker/dockerfile:1
# contextd in a container: non-root, nothing of it writable but the data folder.
#   docker build -t contextd .
#   docker run --read-only -p 127.0.0.1:7420:7420 -v contextd:/data -v ./my.yaml:/etc/contextd/contextd.yaml:ro contextd
FROM node:24.4.1-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.mjs scripts/
COPY src src
RUN node scripts/build.mjs && npm prune --omit=dev --no-audit --no-fund

FROM node:24.4.1-bookworm-slim
ARG REVISION=unknown
LABEL org.opencontainers.image.title="contextd" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY config/profiles config/profiles
RUN install -d -m 0700 -o node -g node /data && install -d /etc/contextd && echo '{}' > /etc/contextd/contextd.yaml
USER node
VOLUME /data
EXPOSE 7420
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7420/livez').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Off the loopback the daemon asks for tokens (server.auth.tokens_file): without them it says so and exits.
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["serve", "--config", "/etc/contextd/contextd.yaml", "--host", "0.0.0.0", "--data", "/data"]
