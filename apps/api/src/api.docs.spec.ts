import { beforeAll, describe, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import { CaptureOptions } from '@app/capture';
import { Env } from '@app/config';
import { isFinal, JOB_STATUSES } from '@app/jobs';
import { ERROR_CODES, ERRORS, fieldsOf, type ErrorCode } from '@app/kernel';
import { EVENT_TYPES } from '@app/webhooks';
import { ApiModule } from './api.module.js';
import { API_DOCS } from './api.docs.js';
import { buildOpenApi } from './openapi/document.js';
import { JOB_EXAMPLES } from './jobs/job.schemas.js';

/** Errors that occur before a route is matched, or only at `/mcp`, which the document does not describe. */
const WITHOUT_ROUTE: ErrorCode[] = [
  'method_not_allowed',
  'headers_too_large',
  'request_timeout',
  'host_forbidden',
  // Crawls end with these.
  'robots_forbidden',
  'sitemap_invalid',
];

/** The routes without a key. Only signed links can be refused for a limit of their account. */
const PUBLIC = ['/v1/files/{id}', '/v1/files/{id}/{name}', '/v1/health', '/v1/render', '/v1/version'];

describe('the OpenAPI document', () => {
  let document: OpenAPIObject;

  beforeAll(async () => {
    const app = await NestFactory.create(ApiModule.forEnvironment(new Env()), {
      preview: true,
      logger: false,
      abortOnError: false,
    });
    document = JSON.parse(JSON.stringify(buildOpenApi(app, API_DOCS))) as OpenAPIObject;
  });

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, { get, post, patch, delete: del }]) =>
      [get, post, patch, del].flatMap((operation) => (operation ? [{ path, operation }] : [])),
    );

  it('is valid', async () => {
    expect(await new Validator().validate(structuredClone(document) as never)).toEqual({ valid: true });
  });

  it('has every route', () => {
    expect(Object.keys(document.paths).sort()).toEqual([
      '/v1/admin/accounts',
      '/v1/admin/accounts/{id}',
      '/v1/admin/accounts/{id}/pause',
      '/v1/admin/accounts/{id}/resume',
      '/v1/admin/audit',
      '/v1/admin/batches/{id}/cancel',
      '/v1/admin/health',
      '/v1/admin/keys',
      '/v1/admin/keys/{id}',
      '/v1/admin/keys/{id}/rotate',
      '/v1/admin/queue',
      '/v1/admin/settings',
      '/v1/admin/usage',
      '/v1/admin/workers',
      '/v1/admin/workers/{id}/drain',
      '/v1/admin/workers/{id}/resume',
      '/v1/bulk',
      '/v1/bulk/csv',
      '/v1/bulk/json',
      '/v1/bulk/{id}',
      '/v1/bulk/{id}/download',
      '/v1/bulk/{id}/events',
      '/v1/bulk/{id}/files.zip',
      '/v1/bulk/{id}/results',
      '/v1/capture',
      '/v1/captures',
      '/v1/captures/stats',
      '/v1/captures/{id}',
      '/v1/captures/{id}/files.zip',
      '/v1/captures/{id}/files/{name}',
      '/v1/captures/{id}/result',
      '/v1/captures/{id}/thumbnail',
      '/v1/crawls',
      '/v1/crawls/{id}',
      '/v1/crawls/{id}/broken',
      '/v1/crawls/{id}/download',
      '/v1/crawls/{id}/pages',
      '/v1/devices',
      '/v1/files/{id}',
      '/v1/files/{id}/{name}',
      '/v1/health',
      '/v1/jobs',
      '/v1/jobs/{id}',
      '/v1/jobs/{id}/events',
      '/v1/jobs/{id}/result',
      '/v1/links',
      '/v1/monitors',
      '/v1/monitors/preview',
      '/v1/monitors/{id}',
      '/v1/monitors/{id}/checks',
      '/v1/monitors/{id}/pause',
      '/v1/monitors/{id}/resume',
      '/v1/monitors/{id}/run',
      '/v1/render',
      '/v1/sessions',
      '/v1/sessions/{id}',
      '/v1/sessions/{id}/login',
      '/v1/sessions/{id}/picture',
      '/v1/status',
      '/v1/usage',
      '/v1/usage/days',
      '/v1/version',
      '/v1/webhooks/deliveries',
      '/v1/webhooks/deliveries/{id}',
      '/v1/webhooks/deliveries/{id}/replay',
      '/v1/webhooks/secret',
      '/v1/webhooks/test',
    ]);
  });

  it('has every option, with its doc', () => {
    const { properties } = document.components?.schemas?.CaptureOptions as unknown as {
      properties: Record<string, { description: string }>;
    };
    expect(Object.keys(properties)).toEqual(fieldsOf(CaptureOptions).map(({ name }) => name));
    expect(Object.values(properties).filter(({ description }) => !description)).toEqual([]);
  });

  it('has every error, under its own status and with an example', () => {
    const documented = new Set<string>();
    for (const { path, operation } of operations()) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const { content } = response as {
          content?: Record<string, { examples?: Record<string, { value: object }> }>;
        };
        for (const [code, { value }] of Object.entries(
          content?.['application/problem+json']?.examples ?? {},
        )) {
          documented.add(code);
          expect([path, code, status]).toEqual([path, code, String(ERRORS[code as ErrorCode].status)]);
          expect(value).toMatchObject({ code, status: Number(status), type: `/docs/errors#${code}` });
        }
      }
    }
    const missing = ERROR_CODES.filter((code) => !documented.has(code));
    expect(missing.filter((code) => !WITHOUT_ROUTE.includes(code))).toEqual([]);
  });

  it('requires a key on every route but the public ones, and documents the response without one', () => {
    for (const { path, operation } of operations()) {
      const isPublic = PUBLIC.includes(path);
      expect([path, operation.security?.length]).toEqual([path, isPublic ? 0 : 2]);
      expect([path, '401' in operation.responses]).toEqual([path, !isPublic]);
    }
  });

  it('has the rate headers on every response to a request with a valid key', () => {
    for (const { path, operation } of operations()) {
      const isPublic = PUBLIC.includes(path);
      expect([path, '429' in operation.responses]).toEqual([path, !isPublic || path === '/v1/render']);
      for (const [status, response] of Object.entries(operation.responses)) {
        const { headers = {} } = response as { headers?: object };
        const hasRate = 'RateLimit' in headers && 'RateLimit-Policy' in headers;
        expect([path, status, hasRate]).toEqual([path, status, !isPublic && status !== '401']);
      }
    }
  });

  it('explains each error of a status once', () => {
    const { responses } = document.paths['/v1/capture']?.post ?? {};
    for (const response of Object.values(responses ?? {})) {
      const { description = '' } = response as { description?: string };
      const paragraphs = description.split('\n\n');
      expect(paragraphs).toEqual([...new Set(paragraphs)]);
    }
    expect(responses?.['429']).toMatchObject({
      content: {
        'application/problem+json': {
          examples: { concurrency_exceeded: expect.anything(), rate_limited: expect.anything() },
        },
      },
    });
  });

  it('has X-Request-Id on every response', () => {
    for (const { operation } of operations()) {
      for (const response of Object.values(operation.responses)) {
        expect(response).toMatchObject({ headers: { 'X-Request-Id': expect.any(Object) } });
      }
    }
  });

  it('describes a nullable field as its type or null, never as a list', () => {
    const { properties } = document.components?.schemas?.CaptureRecord as unknown as {
      properties: Record<string, { type?: unknown; oneOf?: object[] }>;
    };
    const nulls = Object.entries(JOB_EXAMPLES.JobRecord).filter(([, value]) => value === null);
    expect(nulls.length).toBeGreaterThan(10);
    for (const [name] of nulls.filter(([key]) => key in properties)) {
      const { type, oneOf } = properties[name] ?? {};
      const types = type ?? oneOf?.map((each) => ('type' in each ? each.type : 'object'));
      expect([name, types]).toEqual([name, [expect.any(String), 'null']]);
    }
    expect(properties.title?.type).toEqual(['string', 'null']);
  });

  it('has no defaults in requests, which generators would require or send', () => {
    const schemas = document.components?.schemas as unknown as Record<string, { properties: object }>;
    for (const name of ['CaptureOptions', 'JobRequest', 'JsonBatchRequest']) {
      expect(JSON.stringify(schemas[name])).not.toContain('"default":');
    }
    expect(schemas.CaptureOptions?.properties).toMatchObject({
      quality: {
        description: 'Quality of a lossy image. Without it 80, and 60 for `avif`, which looks the same.',
      },
    });
  });

  it('requires every field of a response that is always present', () => {
    const { required, properties } = document.components?.schemas?.BatchRecord as unknown as {
      required: string[];
      properties: object;
    };
    expect(required.sort()).toEqual(Object.keys(properties).sort());
  });

  it('encodes lists and objects of a query as JSON', () => {
    const parameters = (document.paths['/v1/bulk/csv']?.post?.parameters ?? []) as {
      name: string;
      schema?: { type: string };
      content?: object;
    }[];
    const asJson = parameters.filter(({ content }) => content && 'application/json' in content);
    expect(asJson.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['defaults', 'headers', 'cookies', 'hide_selectors', 'fail_on_status']),
    );
    const plain = parameters.filter(({ schema }) => schema);
    expect(plain.filter(({ schema }) => /array|object/.test(String(schema?.type)))).toEqual([]);
    const names = parameters.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(fieldsOf(CaptureOptions).map(({ name }) => name)));
    expect(names).toEqual([...new Set(names)]);
  });

  it('repeats lists in the query of a link, which has no secrets', () => {
    const parameters = (document.paths['/v1/render']?.get?.parameters ?? []) as {
      name: string;
      in: string;
      schema?: { type: string };
      style?: string;
      explode?: boolean;
    }[];
    const lists = parameters.filter(({ schema }) => schema?.type === 'array');
    expect(lists.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['hide_selectors', 'fail_on_status', 'block_urls']),
    );
    for (const list of lists) expect(list).toMatchObject({ style: 'form', explode: true });
    const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['key', 'url', 'expires', 'on_error', 'cache_ttl_s']));
    expect(names.at(-1)).toBe('signature');
    for (const name of ['headers', 'cookies', 'js', 'outputs', 'html']) expect(names).not.toContain(name);
  });

  it('names operations by a verb and a noun, and schemas by no global or vague name', () => {
    const ids = operations().map(({ operation }) => String(operation.operationId));
    expect(
      ids.filter(
        (id) =>
          !/^(cancel|capture|change|create|delete|download|drain|follow|get|list|pause|preview|renew|replay|resume|revoke|rotate|run|sign|submit|test)([A-Z]\w+)$/.test(
            id,
          ),
      ),
    ).toEqual([]);
    const schemas = Object.keys(document.components?.schemas ?? {});
    expect(schemas.filter((name) => name in globalThis)).toEqual([]);
    const vague = ['Check', 'Checks', 'Fault', 'Version', 'Webhook'];
    expect(schemas.filter((name) => vague.includes(name))).toEqual([]);
  });

  it('has every webhook event', () => {
    const ended = JOB_STATUSES.filter(isFinal).map((status) => `capture.${status}`);
    const batches = ['batch.completed', 'batch.canceled'];
    const monitors = ['changed', 'failed', 'paused', 'recovered'].map((type) => `monitor.${type}`);
    expect(Object.keys(document.webhooks ?? {}).sort()).toEqual(
      [...ended, 'capture.changed', ...batches, ...monitors, 'usage.threshold', 'webhook.test'].sort(),
    );
    expect([...EVENT_TYPES].sort()).toEqual(Object.keys(document.webhooks ?? {}).sort());
  });

  it('has a relative server and the format of a key, and lists the submission of a batch first', () => {
    expect(document.servers).toEqual([{ url: '/', description: expect.any(String) }]);
    expect(document.components?.securitySchemes?.bearer).toMatchObject({ bearerFormat: 'API key' });
    const bulk = Object.keys(document.paths).filter((path) => path.startsWith('/v1/bulk'));
    expect(bulk.slice(0, 2)).toEqual(['/v1/bulk/json', '/v1/bulk/csv']);
  });
});
