import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AppProcess } from '../support/app-process.js';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import type { ReceivedSpan } from '../support/otlp-messages.js';
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const TRACE_HEADERS = {
  traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01`,
  tracestate: 'vendor=opaque',
};
const API = 'capture-service-api';
const WORKER = 'capture-service-worker';

/** The spans of an attempt that succeeds, below that of the attempt. */
const STEPS = ['claim', 'prepare', 'navigate', 'settle', 'render', 'store', 'finish'].map(
  (step) => `capture.${step}`,
);

describe('traces', () => {
  let site: FixtureSite;
  let webhooks: WebhookReceiver;
  let receiver: OtlpReceiver;
  let apps: Apps;
  let client: Client;

  beforeAll(async () => {
    [site, webhooks, receiver] = [await startFixtureSite(), new WebhookReceiver(), await startOtlpReceiver()];
    await webhooks.open();
    apps = await startApps(
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20otlp-secret',
        EGRESS_ALLOW: `127.0.0.1:${site.port},127.0.0.1:${webhooks.port}`,
        WORKER_SLOTS: '1',
        WEBHOOK_HTTP: 'true',
        LOG_LEVEL: 'info',
        NODE_OPTIONS: `--import=${pathToFileURL(path.resolve('test/support/report-telemetry.mjs')).href}`,
      },
      // A bundle hides which packages it loads.
      '.',
    );
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await Promise.all([receiver.close(), webhooks.close(), site.close()]);
  });

  const target = (): string => `${site.url}/?token=target-secret`;

  const arrived = async (traceId: string, ...names: string[]): Promise<ReceivedSpan[]> => {
    const spans = (): ReceivedSpan[] => receiver.spans.filter((span) => span.traceId === traceId);
    await eventually(`the spans ${names.join(', ')} arrive`, () =>
      names.every((name) => spans().some((span) => span.name === name)),
    );
    return spans();
  };

  it('show a synchronous capture from the request to its answer, below the span of the caller', async () => {
    const answer = await client.capture(
      { url: target(), headers: { 'x-own': 'header-secret' } },
      { headers: TRACE_HEADERS },
    );
    expect(answer.status).toBe(200);
    const id = answer.headers.get('x-capture-id');
    const spans = await arrived(CALLER.traceId, 'POST /v1/capture', 'capture.attempt', 'capture.queue');

    const [request, accept, attempt] = ['POST /v1/capture', 'capture.accept', 'capture.attempt'].map((name) =>
      only(spans, name),
    );
    expect(request).toMatchObject({
      service: API,
      parentId: CALLER.spanId,
      traceState: TRACE_HEADERS.tracestate,
      kind: 2,
      status: 0,
      attributes: { 'http.response.status_code': 200, 'http.route': '/v1/capture', 'capture.id': id },
    });
    for (const name of ['capture.accept', 'capture.wait', 'capture.answer']) {
      expect(only(spans, name)).toMatchObject({ service: API, parentId: request?.spanId });
    }
    for (const name of ['capture.queue', 'capture.attempt']) {
      expect(only(spans, name)).toMatchObject({ service: WORKER, parentId: accept?.spanId });
    }
    expect(childrenOf(spans, attempt)).toEqual(STEPS);
    expect(attempt?.attributes).toMatchObject({
      'capture.id': id,
      'capture.attempt': 1,
      'capture.source': 'sync',
    });
    expect(spans).toHaveLength(6 + STEPS.length);
  });

  it('show a job up to its webhook, and link a later request to the trace of the job that answers it', async () => {
    const headers = { ...TRACE_HEADERS, traceparent: TRACE_HEADERS.traceparent.replace(/^00-./, '00-1') };
    const traceId = headers.traceparent.slice(3, 35);
    const cached = { url: target(), cache_ttl_s: 600 };
    const { id } = await json(
      client.submit({ ...cached, webhook_url: webhooks.url('/end?key=hook-secret') }, headers),
    );
    const spans = await arrived(traceId, 'POST /v1/jobs', 'webhook.deliver', 'capture.attempt');
    const accept = only(spans, 'capture.accept');
    expect(accept.parentId).toBe(only(spans, 'POST /v1/jobs').spanId);
    expect(only(spans, 'capture.attempt').parentId).toBe(accept.spanId);
    expect(childrenOf(spans, only(spans, 'capture.attempt'))).toEqual(STEPS);
    expect(only(spans, 'webhook.deliver')).toMatchObject({
      service: WORKER,
      parentId: accept.spanId,
      attributes: {
        'http.response.status_code': 204,
        'capture.subject.id': id,
        'server.address': '127.0.0.1',
      },
    });

    const other = headers.traceparent.replace('00-1', '00-2');
    expect((await client.capture(cached, { headers: { traceparent: other } })).headers.get('x-cache')).toBe(
      'HIT',
    );
    const later = await arrived(other.slice(3, 35), 'capture.answer', 'POST /v1/capture');
    expect(only(later, 'capture.answer').links).toEqual([{ traceId, spanId: accept.spanId }]);
  });

  it('link jobs and requests that follow another one to the trace of its visit', async () => {
    const headersOf = (digit: number): Record<string, string> => ({
      traceparent: TRACE_HEADERS.traceparent.replace(/^00-./, `00-${digit}`),
    });
    const traceOf = (digit: number): string => `${digit}${CALLER.traceId.slice(1)}`;
    const same = { url: `${site.url}/held`, cache_ttl_s: 600 };
    await client.submit(same, headersOf(4));
    await eventually('the page is visited', () => site.requests('/held').length > 0);
    const [, caller] = [
      await client.submit(same, headersOf(5)),
      client.capture(same, { headers: headersOf(6) }),
    ];
    await arrived(traceOf(5), 'capture.accept');
    const queued = `SELECT FROM jobs WHERE follows_id IS NOT NULL`;
    await eventually(
      'the second job follows',
      async () => (await apps.database.query(queued)).rowCount === 1,
    );
    site.release();
    expect((await caller).status).toBe(200);
    const [visit] = (await arrived(traceOf(4), 'capture.accept')).filter(
      ({ name }) => name === 'capture.accept',
    );
    const links = [{ traceId: traceOf(4), spanId: visit?.spanId }];
    const follower = await arrived(traceOf(5), 'capture.follow');
    expect(only(follower, 'capture.follow')).toMatchObject({
      parentId: only(follower, 'capture.accept').spanId,
      links,
    });
    const waiting = await arrived(traceOf(6), 'capture.answer', 'capture.accept');
    expect(only(waiting, 'capture.accept').links).toEqual(links);
    expect([...follower, ...waiting].map(({ name }) => name)).not.toContain('capture.attempt');
  });

  it('show each row of a batch in the trace of its request, and by its code why one failed', async () => {
    const headers = { traceparent: TRACE_HEADERS.traceparent.replace(/^00-./, '00-3') };
    const items = [{ url: target() }, { url: target(), fail_if_text_missing: 'text-secret' }];
    const { status } = await client.post('/v1/bulk/json', { items }, headers);
    expect(status).toBe(202);
    const traceId = headers.traceparent.slice(3, 35);
    await eventually(
      'both attempts arrive',
      () =>
        receiver.spans.filter((span) => span.traceId === traceId && span.name === 'capture.attempt')
          .length === 2,
    );
    const spans = await arrived(traceId, 'batch.accept');
    const attempts = spans.filter(({ name }) => name === 'capture.attempt');
    expect(attempts.map(({ parentId }) => parentId)).toEqual(
      Array(2).fill(only(spans, 'batch.accept').spanId),
    );
    const errors = attempts.flatMap(({ attributes }) => attributes['error.type'] ?? []);
    expect(errors).toEqual(['condition_failed']);
  });

  it('reach neither the pages nor the endpoints of webhooks, and hold no secret', () => {
    expect(site.requests('/').length).toBeGreaterThan(2);
    const sent = [...site.requests(), ...webhooks.received].flatMap(({ headers }) => Object.keys(headers));
    expect(sent).toContain('user-agent');
    expect(sent).not.toContain('traceparent');
    expect(sent).not.toContain('tracestate');
    expect(JSON.stringify(receiver.spans)).not.toMatch(/secret/);
    expect(new Set(receiver.headers.map(({ authorization }) => authorization))).toEqual(
      new Set(['Bearer otlp-secret']),
    );
  });

  it('are named by the log lines of their work', () => {
    for (const { log } of [apps.api, apps.worker]) {
      const lines = log()
        .split('\n')
        .filter((line) => line.includes(`"trace_id":"${CALLER.traceId}"`));
      expect(lines.some((line) => /capture succeeded|POST \/v1\/capture 200/.test(line))).toBe(true);
    }
  });

  /** Launches an API and a worker beside the others, and waits until both are ready. */
  const launchBoth = async (endpoint: string): Promise<readonly [AppProcess, AppProcess]> => {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
    const both = await Promise.all([apps.launch('api', settings), apps.launch('worker', settings)]);
    await Promise.all(both.map((app) => app.ready()));
    return both;
  };

  it('load the SDK only where there is a receiver', async () => {
    for (const app of [apps.api, apps.worker]) expect(app.log()).toContain('loads opentelemetry sdk-trace');
    const both = await launchBoth('');
    await Promise.all(both.map((app) => app.stop()));
    for (const app of both) {
      // prom-client loads the interface, which has no effect by itself.
      expect(new Set(app.log().match(/loads opentelemetry .*/g))).toEqual(
        new Set(['loads opentelemetry api']),
      );
    }
  });

  it('delay neither captures nor the end of a process when the receiver never answers', async () => {
    await using silent = await startOtlpReceiver(() => undefined);
    const both = await launchBoth(silent.url);
    // The captures are left to the new worker.
    await apps.worker.stop();
    const caller = client.forApps(both[0]);
    await eventually('the receiver holds a request of each process', async () => {
      expect((await caller.capture({ url: `${site.url}/` })).status).toBe(200);
      return new Set(silent.spans.map(({ service }) => service)).size === 2;
    });
    expect((await caller.capture({ url: `${site.url}/` })).status).toBe(200);
    for (const app of both) app.kill('SIGTERM');
    expect(await Promise.all(both.map((app) => app.ended()))).toEqual([0, 0]);
  });
});

function only(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const [span, ...others] = spans.filter((each) => each.name === name);
  if (!span || others.length > 0)
    throw new Error(`${others.length + (span ? 1 : 0)} spans are named ${name}`);
  return span;
}

/** The names of the spans below one, in the order of their ends. */
function childrenOf(spans: readonly ReceivedSpan[], parent: ReceivedSpan | undefined): string[] {
  return spans
    .filter(({ parentId }) => parentId === parent?.spanId)
    .sort((a, b) => a.endMs - b.endMs)
    .map(({ name }) => name);
}
