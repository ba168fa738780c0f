import path from 'node:path';
import { defineConfig } from 'vite';

const here = import.meta.dirname;
const root = path.resolve(here, '../..');
/** The API that `npm run console:dev` uses. */
const API = process.env.API_URL ?? 'http://127.0.0.1:3000';

export default defineConfig({
  root: here,
  base: '/console/',
  // apps/api/src/console/serve-console.ts puts a nonce in its place.
  html: { cspNonce: '__NONCE__' },
  resolve: { alias: { '@capture-service/client': path.join(root, 'libs/client/src/index.ts') } },
  build: {
    outDir: path.join(root, 'dist/console'),
    // console-build.mjs removes what is left of earlier builds.
    emptyOutDir: false,
    target: 'es2023',
    // They know `light-dark()`, whose replacement would need a fixed `color-scheme`.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The policy of the console allows no data URL of a font.
    assetsInlineLimit: 0,
    license: { fileName: 'licences.md' },
    reportCompressedSize: false,
    // The directives of libraries for React's servers mean nothing in a browser.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  server: {
    proxy: Object.fromEntries(
      ['/console/keys', '/console/session', '/console/log-ins', '/docs'].map((route) => [route, API]),
    ),
  },
});
