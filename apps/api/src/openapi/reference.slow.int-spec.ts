import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import sharp from 'sharp';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { json, type Client } from '../../../../test/support/client.js';
import { ReferencePage, type Shown } from '../../../../test/support/reference-page.js';

const PICTURE = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#2563eb' } })
  .png()
  .toBuffer();

/** Drawing an operation takes the page some 100 ms of processor time, on a machine that is busy otherwise. */
const WITHIN_MS = 120_000;

/** Tries every operation of the reference page in a browser, as a reader does, with the values that the page fills in. */
describe('the reference page', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string };
  let reference: ReferencePage;
  const tried = new Set<string>();

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
    reference = await ReferencePage.open(`${api.url}/docs`);
    await reference.authorize((client as unknown as { key: string }).key);
  }, WITHIN_MS);

  afterAll(async () => {
    await reference.close();
    await api.close();
  });

  const attempt = (operationId: string, fields: Record<string, string> = {}): Promise<Shown> => {
    tried.add(operationId);
    return reference.execute(operationId, fields);
  };
  const shown = (body: string) => JSON.parse(body) as { id: string };

  it(
    'captures, and shows the picture',
    async () => {
      const capture = attempt('capturePage');
      await (await api.claim(client)).succeed(PICTURE);
      expect(await capture).toMatchObject({ status: 200, picture: 30 });
    },
    WITHIN_MS,
  );

  it(
    'shows captures and their files',
    async () => {
      const { items } = (await json(client.get('/v1/captures'))) as { items: { id: string }[] };
      const id = items[0]?.id ?? '';
      expect(await attempt('listCaptures')).toMatchObject({
        status: 200,
        body: expect.stringContaining(id),
        prefilled: { limit: '20' },
      });
      expect(await attempt('getCapture', { id })).toMatchObject({
        status: 200,
        body: expect.stringContaining('"succeeded"'),
      });
      expect(await attempt('getCaptureResult', { id })).toMatchObject({ status: 200, picture: 30 });
      expect(await attempt('getCaptureFile', { id, name: 'result' })).toMatchObject({
        status: 200,
        picture: 30,
      });
      expect(await attempt('getCaptureThumbnail', { id })).toMatchObject({ status: 200, picture: 30 });
      expect(await attempt('downloadCaptureFiles', { id })).toMatchObject({ status: 200 });
      expect(await attempt('deleteCapture', { id })).toMatchObject({
        status: 200,
        body: expect.stringContaining('"deleted_at"'),
      });
      expect(await attempt('getCaptureStats')).toMatchObject({
        status: 200,
        body: expect.stringContaining('"series"'),
      });
    },
    WITHIN_MS,
  );

  it(
    'submits jobs, follows one, and cancels it',
    async () => {
      const first = await attempt('submitJob');
      const second = await attempt('submitJob');
      expect([first, second]).toMatchObject([{ status: 202 }, { status: 202 }]);
      expect([first.prefilled, second.prefilled]).toEqual([{}, {}]);
      const { id } = shown(first.body);
      expect(shown(second.body).id).not.toBe(id);
      expect(await attempt('getJob', { id })).toMatchObject({
        status: 200,
        body: expect.stringContaining('"queued"'),
      });
      expect(await attempt('getJobResult', { id })).toMatchObject({
        status: 409,
        body: expect.stringContaining('job_not_finished'),
      });
      expect(await attempt('cancelJob', { id })).toMatchObject({
        status: 200,
        body: expect.stringContaining('"canceled"'),
      });
      expect(await attempt('followJob', { id })).toMatchObject({
        status: 200,
        body: expect.stringContaining('event: job'),
      });
    },
    WITHIN_MS,
  );

  it(
    'submits batches, shows one, and cancels it',
    async () => {
      const csv = await attempt('submitCsvBatch');
      expect([csv.status, shown(csv.body)]).toMatchObject([202, { total: 2, rejected: 0 }]);
      expect(csv.prefilled).toEqual({
        dry_run: 'false',
        on_invalid: 'reject',
        defaults: '{}',
        headers: '{}',
        recording: '{}',
        secrets: '{}',
      });
      const { status, body } = await attempt('submitJsonBatch');
      const { id } = shown(body);
      expect([status, shown(body)]).toMatchObject([202, { total: 3, rejected: 0 }]);
      expect(await attempt('listBatches')).toMatchObject({
        status: 200,
        body: expect.stringContaining('"progress"'),
      });
      expect(await attempt('getBatch', { id })).toMatchObject({ status: 200 });
      expect(await attempt('listBatchResults', { id })).toMatchObject({
        status: 200,
        body: expect.stringContaining('"home"'),
      });
      expect(await attempt('cancelBatch', { id })).toMatchObject({
        status: 200,
        body: expect.stringContaining('"canceled"'),
      });
      expect(await attempt('followBatch', { id })).toMatchObject({
        status: 200,
        body: expect.stringContaining('event: batch'),
      });
      expect(await attempt('downloadBatchResults', { id })).toMatchObject({ status: 200 });
      expect(await attempt('downloadBatchFiles', { id })).toMatchObject({ status: 200 });
    },
    WITHIN_MS,
  );

  it(
    'signs links, and refuses a link without a signature',
    async () => {
      expect(await attempt('signLink')).toMatchObject({
        status: 200,
        body: expect.stringContaining('/v1/render?key='),
      });
      const { status, body, prefilled } = await attempt('getLinkedCapture');
      expect([status, body]).toEqual([403, expect.stringContaining('signature_invalid')]);
      // What the page would send by itself must not be in a link.
      expect(Object.values(prefilled).filter((text) => text !== '' && text !== '--')).toEqual([]);
    },
    WITHIN_MS,
  );

  it(
    'tests an endpoint, shows its delivery, and rotates the secret',
    async () => {
      const test = await attempt('testWebhook');
      const { id } = shown(test.body);
      expect([test.status, test.body]).toEqual([202, expect.stringContaining('"webhook.test"')]);
      const found = { status: 200, body: expect.stringContaining(id) };
      expect(await attempt('listDeliveries')).toMatchObject({ ...found, prefilled: { limit: '20' } });
      expect(await attempt('getDelivery', { id })).toMatchObject(found);
      expect(await attempt('replayDelivery', { id })).toMatchObject({ ...found, status: 202 });
      for (const operation of ['getWebhookSecret', 'rotateWebhookSecret']) {
        expect(await attempt(operation)).toMatchObject({
          status: 200,
          body: expect.stringContaining('"whsec_'),
        });
      }
    },
    WITHIN_MS,
  );

  it(
    'shows the service',
    async () => {
      expect(await attempt('getUsage')).toMatchObject({
        status: 200,
        body: expect.stringContaining('"used"'),
      });
      expect(await attempt('getUsageByDay')).toMatchObject({
        status: 200,
        body: expect.stringContaining('"charged_by_source"'),
      });
      expect(await attempt('listDevices')).toMatchObject({ status: 200 });
      expect(await attempt('getHealth')).toMatchObject({ status: 200 });
      expect(await attempt('getStatus')).toMatchObject({
        status: 200,
        body: expect.stringContaining('"queue"'),
      });
      expect(await attempt('getVersion')).toMatchObject({
        status: 200,
        body: expect.stringContaining('"api_version"'),
      });
    },
    WITHIN_MS,
  );

  it(
    'has been tried completely, without errors of the browser',
    async () => {
      const document = (await (await client.get('/docs/openapi.json')).json()) as OpenAPIObject;
      const operations = Object.values(document.paths).flatMap(({ get, post, delete: del }) =>
        [get, post, del].flatMap((operation) => operation?.operationId ?? []),
      );
      expect([...tried].sort()).toEqual(operations.sort());
      expect(reference.complaints).toEqual([]);
    },
    WITHIN_MS,
  );
});
