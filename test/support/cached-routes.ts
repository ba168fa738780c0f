import sharp from 'sharp';
import { newId } from '@app/kernel';
import { json, type Client } from './client.js';

export type Caller = Client & { readonly accountId: string };

/** Captures, a batch, a monitor, a crawl and a session of the caller, and a worker. */
export interface Ids {
  readonly done: string;
  readonly queued: string;
  readonly batch: string;
  readonly delivery: string;
  readonly monitor: string;
  readonly crawl: string;
  readonly session: string;
  readonly worker: string;
  /** An account and a key that an operator may change. */
  readonly account: string;
  readonly key: string;
  /** A signed link whose file is in the cache. */
  readonly link: string;
  /** Signed links to the file of `done`. */
  readonly file: { readonly first: string; readonly named: string };
}

/** A request, and the status that proves that it took the intended path. */
export type Case = readonly [ask: (caller: Caller, ids: Ids) => Promise<Response>, status: number];

export const PAGE = { url: 'https://example.com/page' };
export const MONITOR = { schedule: { every_s: 86_400 }, capture: PAGE };
export const SESSION = {
  name: 'shop',
  origins: ['https://example.com'],
  state: { cookies: [], origins: [] },
};
export const LOG_IN = { url: 'https://example.com/login', actions: [{ type: 'wait', ms: 1 }] };
export const HOOK = 'https://example.com/hook';
export const PICTURE = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#d02020' } })
  .png()
  .toBuffer();
const CSV = 'url\nhttps://example.com/\n';
const csv = { 'content-type': 'text/csv' };
const get =
  (path: (ids: Ids) => string): Case[0] =>
  (caller, ids) =>
    caller.get(path(ids));

const change = (caller: Caller, id: string, fields: object): Promise<Response> => {
  const headers = { 'content-type': 'application/json' };
  return caller.send('PATCH', `/v1/monitors/${id}`, { headers, body: JSON.stringify(fields) });
};
const changeOf =
  (kind: 'accounts' | 'keys') =>
  (caller: Caller, id: string, fields: object): Promise<Response> => {
    const headers = { 'content-type': 'application/json' };
    return caller.send('PATCH', `/v1/admin/${kind}/${id}`, { headers, body: JSON.stringify(fields) });
  };
const changeAccount = changeOf('accounts');
const changeKey = changeOf('keys');

/** For each operation of the OpenAPI document, a request that succeeds and one that is refused. */
export const ROUTES: Record<string, readonly [good: Case, bad: Case]> = {
  listDevices: [
    [get(() => '/v1/devices'), 200],
    [(caller) => caller.withKey(null).get('/v1/devices'), 401],
  ],
  getUsage: [
    [get(() => '/v1/usage'), 200],
    [(caller) => caller.withKey('cap_wrong').get('/v1/usage'), 401],
  ],
  getUsageByDay: [
    [get(() => '/v1/usage/days'), 200],
    [get(() => '/v1/usage/days?from=never'), 400],
  ],
  getStatus: [
    [get(() => '/v1/status'), 200],
    [(caller) => caller.withKey(null).get('/v1/status'), 401],
  ],
  getVersion: [
    [get(() => '/v1/version'), 200],
    [(caller) => caller.send('POST', '/v1/version'), 405],
  ],
  getHealth: [
    [get(() => '/v1/health'), 200],
    [(caller) => caller.send('DELETE', '/v1/health'), 405],
  ],
  listBatches: [
    [get(() => '/v1/bulk'), 200],
    [get(() => '/v1/bulk?limit=0'), 400],
  ],
  submitJsonBatch: [
    [(caller) => caller.post('/v1/bulk/json', { items: [PAGE] }), 202],
    [(caller) => caller.post('/v1/bulk/json', { items: 'none' }), 400],
  ],
  submitCsvBatch: [
    [(caller) => caller.send('POST', '/v1/bulk/csv', { headers: csv, body: CSV }), 202],
    [(caller) => caller.send('POST', '/v1/bulk/csv', { headers: csv, body: 'nonsense\n1\n' }), 400],
  ],
  getBatch: [
    [get(({ batch }) => `/v1/bulk/${batch}`), 200],
    [get(() => `/v1/bulk/${newId()}`), 404],
  ],
  cancelBatch: [
    [
      async (caller) => {
        const { id } = await json(caller.post('/v1/bulk/json', { items: [PAGE] }));
        return caller.send('DELETE', `/v1/bulk/${String(id)}`);
      },
      200,
    ],
    [(caller) => caller.send('DELETE', '/v1/bulk/x'), 404],
  ],
  followBatch: [
    [get(({ batch }) => `/v1/bulk/${batch}/events`), 200],
    [get(() => '/v1/bulk/x/events'), 404],
  ],
  listBatchResults: [
    [get(({ batch }) => `/v1/bulk/${batch}/results`), 200],
    [get(({ batch }) => `/v1/bulk/${batch}/results?limit=0`), 400],
  ],
  downloadBatchResults: [
    [get(({ batch }) => `/v1/bulk/${batch}/download`), 200],
    [get(() => '/v1/bulk/x/download'), 404],
  ],
  downloadBatchFiles: [
    [get(({ batch }) => `/v1/bulk/${batch}/files.zip`), 200],
    [get(() => '/v1/bulk/x/files.zip'), 404],
  ],
  capturePage: [
    [(caller) => caller.post('/v1/capture', PAGE, { prefer: 'wait=1' }), 202],
    [(caller) => caller.post('/v1/capture', { url: 'http://127.0.0.1/' }), 403],
  ],
  getLinkedCapture: [
    [(_, { link }) => fetch(link), 200],
    [(caller) => caller.get('/v1/render'), 403],
  ],
  signLink: [
    [(caller) => caller.post('/v1/links', { ...PAGE, expires_in_s: 60 }), 200],
    [(caller) => caller.post('/v1/links', PAGE), 400],
  ],
  listCaptures: [
    [get(() => '/v1/captures'), 200],
    [get(() => '/v1/captures?limit=0'), 400],
  ],
  getCaptureStats: [
    [get(() => '/v1/captures/stats'), 200],
    [get(() => '/v1/captures/stats?from=never'), 400],
  ],
  getCapture: [
    [get(({ done }) => `/v1/captures/${done}`), 200],
    [get(() => '/v1/captures/x'), 404],
  ],
  deleteCapture: [
    [
      async (caller) => {
        const { id } = await json(caller.submit(PAGE));
        return caller.send('DELETE', `/v1/captures/${String(id)}`);
      },
      200,
    ],
    [(caller) => caller.send('DELETE', '/v1/captures/x'), 404],
  ],
  getCaptureResult: [
    [get(({ done }) => `/v1/captures/${done}/result`), 200],
    [get(({ queued }) => `/v1/captures/${queued}/result`), 409],
  ],
  getCaptureFile: [
    [get(({ done }) => `/v1/captures/${done}/files/result`), 200],
    [get(({ done }) => `/v1/captures/${done}/files/other`), 404],
  ],
  getCaptureThumbnail: [
    [get(({ done }) => `/v1/captures/${done}/thumbnail`), 200],
    [get(({ queued }) => `/v1/captures/${queued}/thumbnail`), 409],
  ],
  downloadCaptureFiles: [
    [get(({ done }) => `/v1/captures/${done}/files.zip`), 200],
    [get(({ queued }) => `/v1/captures/${queued}/files.zip`), 409],
  ],
  submitJob: [
    [(caller) => caller.submit(PAGE), 202],
    [(caller) => caller.submit({ ...PAGE, nonsense: 1 }), 400],
  ],
  getJob: [
    [get(({ queued }) => `/v1/jobs/${queued}`), 200],
    [get(() => '/v1/jobs/x'), 404],
  ],
  cancelJob: [
    [
      async (caller) => {
        const { id } = await json(caller.submit(PAGE));
        return caller.send('DELETE', `/v1/jobs/${String(id)}`);
      },
      200,
    ],
    [(caller, { done }) => caller.send('DELETE', `/v1/jobs/${done}`), 409],
  ],
  followJob: [
    [get(({ done }) => `/v1/jobs/${done}/events`), 200],
    [get(() => '/v1/jobs/x/events'), 404],
  ],
  getJobResult: [
    [get(({ done }) => `/v1/jobs/${done}/result`), 200],
    [get(({ queued }) => `/v1/jobs/${queued}/result`), 409],
  ],
  getLinkedFile: [
    [(_, { file }) => fetch(file.first), 200],
    [get(({ done }) => `/v1/files/${done}`), 403],
  ],
  getLinkedNamedFile: [
    [(_, { file }) => fetch(file.named), 200],
    [get(({ done }) => `/v1/files/${done}/result`), 403],
  ],
  previewMonitor: [
    [(caller) => caller.post('/v1/monitors/preview', { schedule: MONITOR.schedule }), 200],
    [(caller) => caller.post('/v1/monitors/preview', {}), 400],
  ],
  createMonitor: [
    [(caller) => caller.post('/v1/monitors', MONITOR), 201],
    [(caller) => caller.post('/v1/monitors', { ...MONITOR, nonsense: 1 }), 400],
  ],
  listMonitors: [
    [get(() => '/v1/monitors'), 200],
    [get(() => '/v1/monitors?state=lost'), 400],
  ],
  getMonitor: [
    [get(({ monitor }) => `/v1/monitors/${monitor}`), 200],
    [get(() => '/v1/monitors/x'), 404],
  ],
  changeMonitor: [
    [(caller, { monitor }) => change(caller, monitor, { name: 'prices' }), 200],
    [(caller, { monitor }) => change(caller, monitor, { name: 1 }), 400],
  ],
  deleteMonitor: [
    [
      async (caller) => {
        const { id } = await json(caller.post('/v1/monitors', MONITOR));
        return caller.send('DELETE', `/v1/monitors/${String(id)}`);
      },
      204,
    ],
    [(caller) => caller.send('DELETE', '/v1/monitors/x'), 404],
  ],
  runMonitor: [
    [(caller, { monitor }) => caller.send('POST', `/v1/monitors/${monitor}/run`), 202],
    [(caller) => caller.send('POST', '/v1/monitors/x/run'), 404],
  ],
  pauseMonitor: [
    [(caller, { monitor }) => caller.send('POST', `/v1/monitors/${monitor}/pause`), 200],
    [(caller) => caller.send('POST', '/v1/monitors/x/pause'), 404],
  ],
  resumeMonitor: [
    [(caller, { monitor }) => caller.send('POST', `/v1/monitors/${monitor}/resume`), 200],
    [(caller) => caller.send('POST', '/v1/monitors/x/resume'), 404],
  ],
  listMonitorChecks: [
    [get(({ monitor }) => `/v1/monitors/${monitor}/checks`), 200],
    [get(({ monitor }) => `/v1/monitors/${monitor}/checks?outcome=lost`), 400],
  ],
  createCrawl: [
    [(caller) => caller.post('/v1/crawls', PAGE), 202],
    [(caller) => caller.post('/v1/crawls', { ...PAGE, nonsense: 1 }), 400],
  ],
  listCrawls: [
    [get(() => '/v1/crawls'), 200],
    [get(() => '/v1/crawls?status=lost'), 400],
  ],
  getCrawl: [
    [get(({ crawl }) => `/v1/crawls/${crawl}`), 200],
    [get(() => '/v1/crawls/x'), 404],
  ],
  cancelCrawl: [
    [
      async (caller) => {
        const { id } = await json(caller.post('/v1/crawls', PAGE));
        return caller.send('DELETE', `/v1/crawls/${String(id)}`);
      },
      200,
    ],
    [(caller) => caller.send('DELETE', '/v1/crawls/x'), 404],
  ],
  listCrawlPages: [
    [get(({ crawl }) => `/v1/crawls/${crawl}/pages`), 200],
    [get(({ crawl }) => `/v1/crawls/${crawl}/pages?outcome=lost`), 400],
  ],
  listBrokenPages: [
    [get(({ crawl }) => `/v1/crawls/${crawl}/broken`), 200],
    [get(({ crawl }) => `/v1/crawls/${crawl}/broken?limit=0`), 400],
  ],
  downloadCrawl: [
    [get(({ crawl }) => `/v1/crawls/${crawl}/download?as=sitemap`), 200],
    [get(() => '/v1/crawls/x/download'), 404],
  ],
  createSession: [
    [(caller) => caller.post('/v1/sessions', { ...SESSION, name: 'created' }), 201],
    [(caller) => caller.post('/v1/sessions', { ...SESSION, nonsense: 1 }), 400],
  ],
  listSessions: [
    [get(() => '/v1/sessions'), 200],
    [get(() => '/v1/sessions?limit=0'), 400],
  ],
  getSession: [
    [get(({ session }) => `/v1/sessions/${session}`), 200],
    [get(() => '/v1/sessions/x'), 404],
  ],
  getSessionPicture: [
    [get(({ session }) => `/v1/sessions/${session}/picture`), 200],
    [get(() => '/v1/sessions/x/picture'), 404],
  ],
  renewSession: [
    [(caller, { session }) => caller.send('POST', `/v1/sessions/${session}/login`), 202],
    [(caller) => caller.send('POST', '/v1/sessions/x/login'), 404],
  ],
  deleteSession: [
    [
      async (caller) => {
        const { id } = await json(caller.post('/v1/sessions', { ...SESSION, name: 'deleted' }));
        return caller.send('DELETE', `/v1/sessions/${String(id)}`);
      },
      204,
    ],
    [(caller) => caller.send('DELETE', '/v1/sessions/x'), 404],
  ],
  listDeliveries: [
    [get(() => '/v1/webhooks/deliveries'), 200],
    [get(() => '/v1/webhooks/deliveries?state=lost'), 400],
  ],
  getDelivery: [
    [get(({ delivery }) => `/v1/webhooks/deliveries/${delivery}`), 200],
    [get(() => '/v1/webhooks/deliveries/x'), 404],
  ],
  replayDelivery: [
    [(caller, { delivery }) => caller.send('POST', `/v1/webhooks/deliveries/${delivery}/replay`), 202],
    [(caller) => caller.send('POST', '/v1/webhooks/deliveries/x/replay'), 404],
  ],
  getWebhookSecret: [
    [get(() => '/v1/webhooks/secret'), 200],
    [(caller) => caller.send('DELETE', '/v1/webhooks/secret'), 405],
  ],
  rotateWebhookSecret: [
    [(caller) => caller.send('POST', '/v1/webhooks/secret'), 200],
    [(caller) => caller.withKey(null).send('POST', '/v1/webhooks/secret'), 401],
  ],
  testWebhook: [
    [(caller) => caller.post('/v1/webhooks/test', { url: HOOK }), 202],
    [(caller) => caller.post('/v1/webhooks/test', {}), 400],
  ],
  listAccounts: [
    [get(() => '/v1/admin/accounts'), 200],
    [get(() => '/v1/admin/accounts?limit=0'), 400],
  ],
  createAccount: [
    [(caller) => caller.post('/v1/admin/accounts', { name: 'made' }), 201],
    [(caller) => caller.post('/v1/admin/accounts', {}), 400],
  ],
  getAccount: [
    [get(({ account }) => `/v1/admin/accounts/${account}`), 200],
    [get(() => '/v1/admin/accounts/x'), 404],
  ],
  changeAccount: [
    [(caller, { account }) => changeAccount(caller, account, { concurrency: 2 }), 200],
    [(caller, { account }) => changeAccount(caller, account, { concurrency: 0 }), 400],
  ],
  pauseAccount: [
    [(caller, { account }) => caller.send('POST', `/v1/admin/accounts/${account}/pause`), 200],
    [(caller) => caller.send('POST', '/v1/admin/accounts/x/pause'), 404],
  ],
  resumeAccount: [
    [(caller, { account }) => caller.send('POST', `/v1/admin/accounts/${account}/resume`), 200],
    [(caller) => caller.send('POST', '/v1/admin/accounts/x/resume'), 404],
  ],
  listKeys: [
    [get(() => '/v1/admin/keys'), 200],
    [get(() => '/v1/admin/keys?limit=0'), 400],
  ],
  createKey: [
    [(caller, { account }) => caller.post('/v1/admin/keys', { account_id: account }), 201],
    [(caller, { account }) => caller.post('/v1/admin/keys', { account_id: account, scopes: ['admin'] }), 409],
  ],
  getKey: [
    [get(({ key }) => `/v1/admin/keys/${key}`), 200],
    [get(() => '/v1/admin/keys/x'), 404],
  ],
  changeKey: [
    [(caller, { key }) => changeKey(caller, key, { name: 'changed' }), 200],
    [(caller) => changeKey(caller, 'x', { name: 'changed' }), 404],
  ],
  rotateKey: [
    [(caller, { key }) => caller.post(`/v1/admin/keys/${key}/rotate`, {}), 200],
    [(caller) => caller.post('/v1/admin/keys/x/rotate', {}), 404],
  ],
  revokeKey: [
    [(caller, { key }) => caller.send('DELETE', `/v1/admin/keys/${key}`), 200],
    [(caller) => caller.send('DELETE', '/v1/admin/keys/x'), 404],
  ],
  deleteAccount: [
    [(caller, { account }) => caller.send('DELETE', `/v1/admin/accounts/${account}`), 202],
    [(caller) => caller.send('DELETE', '/v1/admin/accounts/x'), 404],
  ],
  getUsageOfAccounts: [
    [get(() => '/v1/admin/usage'), 200],
    [get(() => '/v1/admin/usage?from=never'), 400],
  ],
  listAuditEvents: [
    [get(() => '/v1/admin/audit'), 200],
    [get(() => '/v1/admin/audit?action=none'), 400],
  ],
  listWorkers: [
    [get(() => '/v1/admin/workers'), 200],
    [get(() => '/v1/admin/workers?limit=1'), 400],
  ],
  drainWorker: [
    [(caller, { worker }) => caller.send('POST', `/v1/admin/workers/${worker}/drain`), 200],
    [(caller) => caller.send('POST', '/v1/admin/workers/x/drain'), 404],
  ],
  resumeWorker: [
    [(caller, { worker }) => caller.send('POST', `/v1/admin/workers/${worker}/resume`), 200],
    [(caller) => caller.send('POST', '/v1/admin/workers/x/resume'), 404],
  ],
  getQueue: [
    [get(() => '/v1/admin/queue'), 200],
    [get(() => '/v1/admin/queue?account_id=x'), 400],
  ],
  cancelBatchOfAccount: [
    [
      async (caller) => {
        const { id } = await json(caller.post('/v1/bulk/json', { items: [PAGE] }));
        return caller.send('POST', `/v1/admin/batches/${String(id)}/cancel`);
      },
      200,
    ],
    [(caller) => caller.send('POST', '/v1/admin/batches/x/cancel'), 404],
  ],
  listSettings: [
    [get(() => '/v1/admin/settings'), 200],
    [get(() => '/v1/admin/settings?name=PORT'), 400],
  ],
  getHealthHistory: [
    [get(() => '/v1/admin/health'), 200],
    [get(() => '/v1/admin/health?days=31'), 400],
  ],
};
