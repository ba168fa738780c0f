# One image for both applications. Its command is the API; docker-compose.yml sets those of the worker and the migrations.
#
# Tags, because the digests of the bases are not known where this file is written: for the same image at any time set both to a
# digest (node:24.21.0-bookworm-slim@sha256:…) and SOURCE_DATE_EPOCH to the time of the commit. Debian's Chromium is the newest
# on the day of the build, as docs/security.md asks for.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
ARG DEBIAN_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS node

FROM node AS build
WORKDIR /app
ENV PUPPETEER_SKIP_DOWNLOAD=true
COPY package.json package-lock.json .npmrc .puppeteerrc.cjs ./
COPY apps/console/package.json apps/console/
COPY apps/launcher/package.json apps/launcher/
RUN npm ci --omit=dev
COPY .swcrc tsconfig.json ./
COPY scripts scripts
COPY apps apps
COPY libs libs
# `GET /v1/version` shows it, as the build context has no history. It stands last, because it changes with every commit.
ARG SOURCE_DATE_EPOCH
ARG GIT_COMMIT
RUN npm run build

FROM node AS packages
WORKDIR /app
ENV PUPPETEER_SKIP_DOWNLOAD=true
COPY package.json package-lock.json .npmrc .puppeteerrc.cjs ./
COPY apps/console/package.json apps/console/
COPY apps/launcher/package.json apps/launcher/
# The launcher and the console are workspaces, whose packages build the service.
RUN npm ci --omit=dev --workspaces=false
COPY docker/prune-packages.mjs docker/
RUN node docker/prune-packages.mjs node_modules

# Not the image of Node, whose npm, yarn and headers (90 MB) nothing here uses.
FROM ${DEBIAN_IMAGE}
# Debian's headless shell has the major version that Puppeteer supports. The fonts are those of apps/launcher/src/writing-systems.mjs.
# What apt writes besides the packages differs between two builds of the same image.
RUN apt-get update && apt-get install -y --no-install-recommends \
    chromium-headless-shell \
    fonts-dejavu-core \
    fonts-liberation \
    fonts-noto-color-emoji \
    fonts-noto-ui-core \
    fonts-sil-abyssinica \
    fonts-wqy-zenhei \
    libstdc++6 \
    tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/ldconfig/aux-cache /var/log/apt /var/log/dpkg.log \
  && groupadd --gid 1000 node \
  && useradd --uid 1000 --gid node --no-create-home --shell /usr/sbin/nologin node
WORKDIR /app
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    WORKER_HOST=0.0.0.0 \
    METRICS_HOST=0.0.0.0 \
    DATA_DIR=/data \
    PUPPETEER_EXECUTABLE_PATH=/usr/bin/chromium-headless-shell
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE ./
# The migrations are run by scripts/migrate.mjs.
COPY apps/launcher apps/launcher
COPY scripts/migrate.mjs scripts/healthcheck.mjs scripts/
# Chromium builds its sandbox only for an ordinary user. A new named volume takes over the owner of its folder.
# Nothing else is written, so the root file system may be read-only.
RUN mkdir -p /data/files /data/spool /data/filter-lists && chown -R node:node /data
USER node
VOLUME /data/files
# The API, the probes of the worker, the metrics of the API and of the worker.
EXPOSE 3000 3001 3002 3003
# Of the API or the worker, whichever runs. Kubernetes has probes of its own.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s \
  CMD ["node", "scripts/healthcheck.mjs"]
# tini reaps the processes that a killed browser leaves, and passes signals on.
ENTRYPOINT ["tini", "--", "node", "--import", "./apps/launcher/src/source-maps.mjs"]
CMD ["dist/apps/api/src/main.js"]
ARG GIT_COMMIT
LABEL org.opencontainers.image.title="Capture Service" \
      org.opencontainers.image.description="Self-hosted HTTP API that turns web pages into pictures, PDFs and data." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.2.0" \
      org.opencontainers.image.revision="${GIT_COMMIT}"
