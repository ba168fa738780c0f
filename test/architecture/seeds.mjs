/** What the scratch tree of rules-bite.mjs has installed: names only, as no rule looks inside a package. */
const PRODUCTION = ['typeorm', '@nestjs/typeorm', '@nestjs/common', 'bullmq', '@nestjs/bullmq', 'puppeteer'];
export const INSTALLED = {
  packages: [...PRODUCTION, 'sharp', 'stowaway'],
  manifest: {
    dependencies: Object.fromEntries(PRODUCTION.map((name) => [name, '1.0.0'])),
    devDependencies: { sharp: '1.0.0' },
  },
};

const LIBS = [
  ...['kernel', 'config', 'database', 'storage', 'outbound', 'filters', 'browser', 'process', 'metrics'],
  ...['webhooks', 'auth', 'usage', 'capture', 'jobs', 'bulk'],
];

const API_FOLDERS = [
  ...['metrics', 'http', 'openapi', 'devices', 'health', 'usage', 'version', 'webhooks'],
  ...['captures', 'jobs', 'sync', 'bulk'],
];

/** Imports that must pass; the sound tree around the violations too. */
export const ALLOWED_IMPORTS = {
  ...Object.fromEntries(LIBS.map((lib) => [`libs/${lib}/src/index.ts`, `export { part } from './part.js';`])),
  ...Object.fromEntries(LIBS.map((lib) => [`libs/${lib}/src/part.ts`, `export const part = '${lib}';`])),
  'apps/api/src/main.ts': `import './api.module.js'; import '@app/auth'; import '@app/jobs';`,
  'apps/api/src/api.module.ts': API_FOLDERS.map((folder) => `import './${folder}/part.js';`).join(' '),
  ...Object.fromEntries(
    API_FOLDERS.map((folder) => [`apps/api/src/${folder}/part.ts`, `import '@app/jobs';`]),
  ),
  'apps/api/src/jobs/jobs.controller.ts': `import '../captures/part.js'; import '../http/part.js';`,
  'apps/worker/src/main.ts': `import '@app/capture/engine'; import '@app/jobs';`,
  'libs/capture/src/engine/index.ts': `import '../part.js'; import '@app/browser'; import 'puppeteer';`,
  'libs/capture/src/family.ts': `import type { Page } from 'puppeteer'; export type Visit = Page;`,
  'libs/capture/src/filtered.ts': `import type { part } from '@app/filters'; export type Part = typeof part;`,
  'libs/jobs/src/job/job.entity.ts': `import 'typeorm';`,
  'libs/jobs/src/job/job.repository.ts': `import 'typeorm'; import '@nestjs/typeorm'; import '@app/usage';`,
  'libs/jobs/src/job/job.module.ts': `import '@nestjs/typeorm';`,
  'libs/jobs/src/queue/job-queue.module.ts': `import 'bullmq'; import '@nestjs/bullmq'; import '../job/job.module.js';`,
  'libs/jobs/src/upkeep/recovery.service.ts': `import '../queue/job-queue.module.js';`,
  'libs/jobs/src/part.spec.ts': `import 'sharp'; import './part.js';`,
  'test/e2e/capture.e2e-spec.ts': `import 'sharp'; import '@app/database'; import '../../apps/launcher/src/service.mjs';`,
  'apps/launcher/src/service.mjs': `import '../../../libs/browser/src/browser-candidates.ts';`,
  'scripts/keys.ts': `import '@app/auth'; import '../apps/launcher/src/service.mjs';`,
  'scripts/check/lists.mjs': `export const names = [];`,
  'scripts/keys.int-spec.ts': `import './keys.js'; import '../test/support/api.js';`,
  'test/support/api.ts': `import '@app/database';`,
  'test/operations/texts.spec.ts': `import '../../scripts/check/lists.mjs';`,
};

/** One violation of each rule of .dependency-cruiser.cjs; the first file of each is the culprit. */
export const FORBIDDEN_IMPORTS = {
  'no-circular': {
    'libs/kernel/src/circle-a.ts': `import './circle-b.js';`,
    'libs/kernel/src/circle-b.ts': `import './circle-a.js';`,
  },
  'no-orphans': { 'libs/kernel/src/alone.ts': `export const alone = true;` },
  'no-unresolvable': { 'libs/kernel/src/lost.ts': `import './nowhere.js';` },
  'through-the-front-door': { 'libs/jobs/src/by-the-window.ts': `import '../../usage/src/part.js';` },
  'launcher-before-the-build': {
    'apps/launcher/src/early.mjs': `import '../../../libs/kernel/src/index.ts';`,
  },
  'stands-alone': { 'libs/browser/src/browser-candidates.ts': `import './part.js';` },
  'scripts-without-tests': { 'scripts/measure.mjs': `import '../test/e2e/capture.e2e-spec.ts';` },
  'tests-without-scripts': { 'test/support/services.mjs': `import '../../scripts/keys.ts';` },
  'kernel-looks-down': { 'libs/kernel/src/up.ts': `import '@app/config';` },
  'config-looks-down': { 'libs/config/src/up.ts': `import '@app/database';` },
  'database-looks-down': { 'libs/database/src/up.ts': `import '@app/usage';` },
  'storage-looks-down': { 'libs/storage/src/up.ts': `import '@app/database';` },
  'outbound-looks-down': { 'libs/outbound/src/up.ts': `import '@app/capture';` },
  'filters-looks-down': { 'libs/filters/src/up.ts': `import '@app/capture';` },
  'browser-looks-down': { 'libs/browser/src/up.ts': `import '@app/capture';` },
  'process-looks-down': { 'libs/process/src/up.ts': `import '@app/database';` },
  'auth-looks-down': { 'libs/auth/src/up.ts': `import '@app/usage';` },
  'usage-looks-down': { 'libs/usage/src/up.ts': `import '@app/jobs';` },
  'webhooks-looks-down': { 'libs/webhooks/src/up.ts': `import '@app/usage';` },
  'metrics-looks-down': { 'libs/metrics/src/up.ts': `import '@app/database';` },
  'capture-looks-down': { 'libs/capture/src/up.ts': `import '@app/browser';` },
  'jobs-looks-down': { 'libs/jobs/src/up.ts': `import '@app/browser';` },
  'jobs-job-in-order': { 'libs/jobs/src/job/up.ts': `import '../queue/job-queue.module.js';` },
  'jobs-queue-in-order': { 'libs/jobs/src/queue/up.ts': `import '../upkeep/recovery.service.js';` },
  'jobs-signals-in-order': { 'libs/jobs/src/signals/up.ts': `import '../queue/job-queue.module.js';` },
  'jobs-acceptance-in-order': { 'libs/jobs/src/acceptance/up.ts': `import '../dispatch/up.js';` },
  'jobs-dispatch-in-order': { 'libs/jobs/src/dispatch/up.ts': `import '../running/up.js';` },
  'jobs-running-in-order': { 'libs/jobs/src/running/up.ts': `import '../upkeep/recovery.service.js';` },
  'jobs-batches-in-order': { 'libs/jobs/src/batches/up.ts': `import '../queue/job-queue.module.js';` },
  'jobs-history-in-order': { 'libs/jobs/src/history/up.ts': `import '../batches/up.js';` },
  'jobs-upkeep-in-order': { 'libs/jobs/src/upkeep/up.ts': `import '../history/up.js';` },
  'bulk-looks-down': { 'libs/bulk/src/up.ts': `import '@app/auth';` },
  'engine-looks-down': { 'libs/capture/src/engine/up.ts': `import '@app/storage';` },
  'options-without-engine': { 'libs/capture/src/eager.ts': `import './engine/index.js';` },
  'engine-in-the-worker': { 'libs/jobs/src/eager.ts': `import '@app/capture/engine';` },
  'known-libraries': { 'libs/common/src/index.ts': `import 'typeorm';` },
  'libs-without-apps': { 'libs/jobs/src/app.ts': `import '../../../apps/worker/src/main.js';` },
  'apps-apart': { 'apps/api/src/shortcut.ts': `import '../../worker/src/main.js';` },
  'api-metrics-looks-down': { 'apps/api/src/metrics/up.ts': `import '../http/part.js';` },
  'api-http-looks-down': { 'apps/api/src/http/up.ts': `import '../captures/part.js';` },
  'api-openapi-looks-down': { 'apps/api/src/openapi/up.ts': `import '../captures/part.js';` },
  'api-devices-looks-down': { 'apps/api/src/devices/up.ts': `import '../captures/part.js';` },
  'api-health-looks-down': { 'apps/api/src/health/up.ts': `import '../captures/part.js';` },
  'api-usage-looks-down': { 'apps/api/src/usage/up.ts': `import '../captures/part.js';` },
  'api-version-looks-down': { 'apps/api/src/version/up.ts': `import '../captures/part.js';` },
  'api-webhooks-looks-down': { 'apps/api/src/webhooks/up.ts': `import '../jobs/part.js';` },
  'api-captures-looks-down': { 'apps/api/src/captures/up.ts': `import '../jobs/part.js';` },
  'api-jobs-looks-down': { 'apps/api/src/jobs/up.ts': `import '../sync/part.js';` },
  'api-sync-looks-down': { 'apps/api/src/sync/up.ts': `import '../bulk/part.js';` },
  'api-bulk-looks-down': { 'apps/api/src/bulk/up.ts': `import '../api.module.js';` },
  'api-known-folders': { 'apps/api/src/shared/any.ts': `import '../http/part.js';` },
  'filters-in-the-worker': { 'libs/capture/src/listed.ts': `import '@app/filters';` },
  // The culprit sees nothing of a browser; what it imports does.
  'api-without-browser': {
    'apps/api/src/far.ts': `import './near.js';`,
    'apps/api/src/near.ts': `import '@app/browser';`,
  },
  'worker-without-auth': {
    'apps/worker/src/far.ts': `import './near.js';`,
    'apps/worker/src/near.ts': `import '@app/auth';`,
  },
  'comparison-in-the-worker': { 'apps/worker/src/upkeep/compare.ts': `import 'diff';` },
  'typeorm-in-repositories': { 'libs/jobs/src/sql.service.ts': `import type {} from 'typeorm';` },
  'nest-typeorm-in-modules': { 'libs/jobs/src/tables.service.ts': `import '@nestjs/typeorm';` },
  'bullmq-behind-the-queue': { 'libs/jobs/src/direct.service.ts': `import 'bullmq';` },
  'nest-bullmq-behind-the-queue': { 'libs/jobs/src/hidden.service.ts': `import '@nestjs/bullmq';` },
  'puppeteer-type-only': { 'libs/capture/src/heavy.ts': `import { Page } from 'puppeteer'; Page;` },
  'no-tests-in-production': { 'libs/jobs/src/tested.ts': `import './part.spec.js';` },
  'no-dev-dependency-in-production': { 'apps/api/src/dev.ts': `import 'sharp';` },
  'only-own-dependencies': { 'apps/api/src/stow.ts': `import 'stowaway';` },
};

const lines = (count) => Array.from({ length: count }, (_, i) => `export const n${i} = ${i};`).join('\n');
const LIB = 'libs/jobs/src/seed.ts';
const SPEC = 'libs/jobs/src/seed.spec.ts';
const title = (text) => `declare const it: { (t: string, f: () => void): void };\nit(${text}, () => {});`;

/** Violations of each lint rule: the file they stand in and each form that must be found. */
export const FORBIDDEN_CODE = {
  '@typescript-eslint/no-floating-promises': [LIB, `export const go = () => { Promise.resolve(1); };`],
  '@typescript-eslint/consistent-type-imports': [
    LIB,
    `import { part } from './part.js';\nexport type Part = typeof part;`,
  ],
  '@typescript-eslint/no-import-type-side-effects': [
    LIB,
    `import { type Page } from 'puppeteer';\nexport type P = Page;`,
  ],
  '@typescript-eslint/switch-exhaustiveness-check': [
    LIB,
    `export function f(a: 'x' | 'y') { switch (a) { case 'x': return 1; default: return 2; } }`,
  ],
  '@typescript-eslint/no-explicit-any': [LIB, `export const a: any = 1;`],
  '@typescript-eslint/no-non-null-assertion': [LIB, `export const f = (a?: string) => a!;`],
  '@typescript-eslint/no-unused-vars': [LIB, `const unused = 1;\nexport {};`],
  '@typescript-eslint/prefer-promise-reject-errors': [LIB, `export const f = () => Promise.reject('no');`],
  '@typescript-eslint/only-throw-error': [LIB, `throw 'no';`],
  'no-fallthrough': [
    LIB,
    `export function f(a: number) { let n = 0; switch (a) { case 1: n = 1; default: n = 2; } return n; }`,
  ],
  'no-lone-blocks': [LIB, `export function f() { { f(); } }`],
  'max-lines': [LIB, lines(301)],
  'max-lines-per-function': [LIB, `export function f() {\n${'f();\n'.repeat(40)}}`],
  'no-console': [LIB, `console.log(1);`],
  'house/env-in-one-place': [
    LIB,
    `export const a = process.env['HOME'];`,
    `import { env } from 'node:process';\nexport const a = env;`,
  ],
  'house/launch-in-one-place': [
    LIB,
    `import puppeteer from 'puppeteer';\nawait puppeteer.launch();`,
    `import { launch } from 'puppeteer';\nawait launch();`,
    `import { connect } from 'puppeteer';\nawait connect();`,
  ],
  'house/requests-in-one-place': [
    'libs/capture/src/seed.ts',
    `export const f = (page: { on(e: string, f: () => void): void }) => { page.on('request', () => {}); };`,
  ],
  'house/egress-in-one-place': [
    LIB,
    `await fetch('https://example.com');`,
    `await globalThis.fetch('https://example.com');`,
    `export const socket = new WebSocket('wss://example.com');`,
    `import https from 'node:https';\nhttps.get('https://example.com');`,
    `import { request } from 'node:http';\nrequest('http://example.com');`,
    `import net from 'node:net';\nnet.connect(80, 'example.com');`,
    `import net from 'node:net';\nnew net.Socket().connect(80, 'example.com');`,
    `import { connect } from 'node:tls';\nconnect(443, 'example.com');`,
    `import { lookup } from 'node:dns/promises';\nawait lookup('example.com');`,
    `import { Agent } from 'undici';\nnew Agent();`,
  ],
  'house/s3-in-one-place': [
    LIB,
    `import { S3Client } from '@aws-sdk/client-s3';\nnew S3Client();`,
    `export const load = () => import('@aws-sdk/client-s3');`,
    `import { NodeHttpHandler } from '@smithy/node-http-handler';\nnew NodeHttpHandler();`,
  ],
  'house/paths-in-one-place': [
    LIB,
    'export const f = (id: string) => `/v1/jobs/${id}`;',
    `export const path = '/v1/usage';`,
    `export const sql = "SELECT '/v1/jobs/' || id FROM jobs";`,
  ],
  'house/time-from-the-clock': [LIB, `export const now = new Date();`],
  'house/no-http-in-libs': [
    LIB,
    `import { HttpException } from '@nestjs/common';\nthrow new HttpException();`,
    `import { NotFoundException } from '@nestjs/common';\nthrow new NotFoundException();`,
  ],
  'house/no-matching-on-messages': [
    LIB,
    `export const f = (e: Error) => e.message.includes('net::');`,
    `export const f = (e: Error) => /net::/.test(e.message);`,
    `export const f = (e: Error) => e.message === 'gone';`,
    `export function f(e: Error) { switch (e.message) { default: return 1; } }`,
  ],
  'house/few-parameters': [
    LIB,
    `export function f(a: 1, b: 2, c: 3, d: 4) { return [a, b, c, d]; }`,
    `export const f = (a: 1, b: 2, c: 3, d: 4) => [a, b, c, d];`,
    `export class A { f(a: 1, b: 2, c: 3, d: 4) { return [a, b, c, d]; } }`,
    `export abstract class A { abstract f(a: 1, b: 2, c: 3, d: 4): void; }`,
  ],
  'house/few-dependencies': [
    LIB,
    `export class A { constructor(readonly a: 1, readonly b: 2, readonly c: 3, readonly d: 4, readonly e: 5, readonly f: 6, readonly g: 7) {} }`,
  ],
  'house/no-forward-ref': [LIB, `import { forwardRef } from '@nestjs/common';\nforwardRef(() => 1);`],
  'house/one-global-module': [
    LIB,
    `import { Global } from '@nestjs/common';\n@Global()\nexport class JobsModule {}`,
  ],
  'house/tables-of-auth': [LIB, 'export const sql = `SELECT id FROM api_keys`;'],
  'house/tables-of-bulk': [
    LIB,
    'export const sql = (id: string) => `WITH a AS (SELECT 1) UPDATE batches SET total = ${id}`;',
    `declare function Entity(name: string): ClassDecorator;\n@Entity('batches')\nexport class Copy {}`,
  ],
  'house/tables-of-jobs': [
    'libs/bulk/src/seed.ts',
    `export const sql = 'SELECT 1 FROM accounts JOIN jobs ON true';`,
    'export const sql = `SELECT count(*)\n  FROM ONLY\n jobs WHERE ${1}`;',
    'export const sql = `DELETE FROM a USING idempotency_keys`;',
  ],
  'house/tables-of-usage': [LIB, `export const sql = 'INSERT INTO usage_ledger (job_id) VALUES ($1)';`],
  'house/tables-of-webhooks': [LIB, 'export const sql = `SELECT FROM webhook_stops`;'],
  'house/no-enum': [LIB, `export enum A { B }`],
  'house/class-named-like-its-file': [
    'libs/jobs/src/seed.service.ts',
    `import { Injectable } from '@nestjs/common';\n@Injectable()\nexport class Seeds {}`,
    `import { Entity } from 'typeorm';\n@Entity('seeds')\nexport class SeedEntity {}`,
  ],
  'house/no-page-globals': [
    LIB,
    `export const title = () => document.title;`,
    `export const f = () => name;`,
    `export const f = (element: HTMLElement) => element;`,
  ],
  'house/plain-english': [
    LIB,
    `// It is tried for ever.\nexport {};`,
    `/**\n * The caller is\n * told of it.\n */\nexport {};`,
    `/** Of a job: its priority. */\nexport {};`,
    `export const title = 'answers whoever waits';`,
    'export const f = (n: number) => `at the most ${n}`;',
  ],
  'house/no-focused-tests': [SPEC, `declare const it: { only: () => void };\nit.only();`],
  'house/titles-state-facts': [
    SPEC,
    title(`'should work'`),
    title('`should work`'),
    `declare const it: { each: (a: number[]) => (t: string, f: () => void) => void };\nit.each([1])('should work', () => {});`,
  ],
};

/** Code that the rules must let pass: the excepted file of each, and forms that only look like a violation. */
export const PERMITTED_CODE = {
  'libs/config/src/load-env.ts': `export const home = process.env['HOME'];`,
  'libs/browser/src/browser-process.ts': `import { connect } from 'puppeteer';\nexport const open = () => connect({});`,
  'libs/capture/src/pipeline/interceptor.ts': `export const f = (page: { on(e: string, f: () => void): void }) => { page.on('request', () => undefined); };`,
  'libs/outbound/src/dial.ts': `import net from 'node:net';\nimport { lookup } from 'node:dns/promises';\nexport const open = async () => net.connect(80, (await lookup('example.com')).address);`,
  'libs/storage/src/s3.storage.ts': `import { S3Client } from '@aws-sdk/client-s3';\nexport const client = () => new S3Client();`,
  'libs/jobs/src/job/resource-paths.ts': 'export const f = (id: string) => `/v1/jobs/${id}`;',
  'libs/usage/src/advice.ts': `export const detail = 'GET /v1/usage shows what is left.';`,
  'libs/kernel/src/clock.ts': `export const now = () => new Date();`,
  'libs/kernel/src/dates.ts': `export const at = (ms: number) => new Date(ms);`,
  'libs/capture/src/engine/translate-error.ts': `export const isGone = (e: Error) => e.message.includes('Target closed');`,
  'libs/jobs/src/job-watch.service.ts': `import { Injectable } from '@nestjs/common';\n@Injectable()\nexport class JobWatchService {}`,
  'libs/jobs/src/watched-job.entity.ts': `import { Entity } from 'typeorm';\n@Entity('jobs')\nexport class WatchedJob {}`,
  'libs/capture/src/in-page.ts': `export const title = () => document.title;`,
  'libs/jobs/src/named.ts': `export const f = (document: { name: string }) => document.name;`,
  'libs/usage/src/owner.repository.ts': `export const sql = 'SELECT FROM accounts';`,
  'libs/database/src/migrations/1-all.ts': `export const sql = 'UPDATE jobs SET id = (SELECT id FROM batches)';`,
  'libs/bulk/src/prose.ts': `export const text = 'The rows come from jobs of one batch; workers update accounts.';`,
  'libs/jobs/src/injected.service.ts': `export class A { constructor(readonly a: 1, readonly b: 2, readonly c: 3, readonly d: 4) {} }`,
  'scripts/tool.ts': `console.log(process.env['HOME'], new Date());`,
  'libs/jobs/src/prose.ts': `/** Notifies the caller of a job, as told in its docs, at most once. */\nexport const code = 'for-ever';`,
  'libs/jobs/src/long.spec.ts': lines(301),
};
