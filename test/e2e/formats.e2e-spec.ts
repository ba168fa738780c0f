import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FORMATS } from '@app/capture';
import { startApps, type Apps } from '../support/apps.js';
import { Client, json, type Json } from '../support/client.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';

const TEXT = 'Access to this page was denied\n\nLOUD WORDS';

describe('every format', () => {
  let site: FixtureSite;
  let apps: Apps;
  let client: Client;

  beforeAll(async () => {
    site = await startFixtureSite();
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}`, WORKER_SLOTS: '2' });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await site.close();
  });

  const url = (): string => `${site.url}/text.html`;
  const finished = async (path: string): Promise<Json> => json(client.get(`${path}?wait=30`));

  describe.each(Object.values(FORMATS))('$name', ({ name: format, contentType, extension, disposition }) => {
    it('is served with its type and extension to a caller that accepts it', async () => {
      const headers = { accept: `${contentType.split(';')[0]}, application/json` };
      const response = await client.capture({ url: url(), format }, { headers });
      expect(response.status).toBe(200);
      const received = Object.fromEntries(response.headers);
      expect(received).toMatchObject({
        'content-type': contentType,
        'content-disposition': `${disposition}; filename=127.0.0.1.${extension}`,
        'x-content-type-options': 'nosniff',
      });
      expect(received['content-security-policy']).toContain("default-src 'none'");
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
    });

    it('is a record for a caller that accepts only JSON', async () => {
      const headers = { accept: 'application/json' };
      const response = await client.capture({ url: url(), format }, { headers });
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await json(response)).toMatchObject({ status: 'succeeded', format });
    });

    it('is counted, and found in the history', async () => {
      const { total, format: counts } = await json(client.get('/v1/captures/stats'));
      expect((counts as Record<string, number>)[format]).toBeGreaterThan(0);
      expect(total).toBeGreaterThan(0);
      const { items } = await json(client.get(`/v1/captures?format=${format}`));
      const formats = (items as Json[]).map((item) => item['format']);
      expect(new Set(formats)).toEqual(new Set([format]));
    });
  });

  describe('text', () => {
    it('is the visible text, in UTF-8', async () => {
      const response = await client.capture({ url: url(), format: 'text' });
      expect(await response.text()).toBe(TEXT);
      const html = '<p>ä 😀</p><p id="part">€</p>';
      expect(await (await client.capture({ html, format: 'text' })).text()).toBe('ä 😀\n\n€');
      const part = await client.capture({ html, format: 'text', selector: '#part', filename: 'Notes.TXT' });
      expect(part.headers.get('content-disposition')).toBe('attachment; filename=Notes.TXT');
      expect(await part.text()).toBe('€');
    });

    it('may be empty', async () => {
      const response = await client.capture({ html: '<p></p>', format: 'text' });
      expect([response.status, response.headers.get('content-length')]).toEqual([200, '0']);
      const id = response.headers.get('x-capture-id');
      expect(await json(client.get(`/v1/captures/${id}`))).toMatchObject({ status: 'succeeded', bytes: 0 });
      expect(await (await client.get(`/v1/captures/${id}/result`)).text()).toBe('');
    });

    it('refuses the options of other formats', async () => {
      const options = { html: '<p>', format: 'text', full_page: true, pdf_landscape: true, quality: 50 };
      const { code, errors } = await json(client.capture(options));
      const pointers = (errors as Json[]).map((each) => [each['pointer'], each['code']]);
      expect([code, pointers.sort()]).toEqual([
        'invalid_request',
        ['/full_page', '/pdf_landscape', '/quality'].map((pointer) => [pointer, 'not_for_format']),
      ]);
    });

    it('is the file of a job, whole, in part or not again', async () => {
      const { id } = await json(client.submit({ url: url(), format: 'text' }));
      expect(await finished(`/v1/jobs/${String(id)}`)).toMatchObject({
        status: 'succeeded',
        format: 'text',
        width: null,
        height: null,
        pages: null,
        truncated: false,
        bytes: TEXT.length,
      });
      const path = `/v1/jobs/${String(id)}/result`;
      const whole = await client.get(path);
      expect(await whole.text()).toBe(TEXT);
      const etag = String(whole.headers.get('etag'));
      expect((await client.get(path, { 'if-none-match': etag })).status).toBe(304);
      const part = await client.get(path, { range: 'bytes=0-5' });
      expect([part.status, await part.text()]).toEqual([206, 'Access']);
    });

    it('is the file of a row, in JSON and in CSV', async () => {
      const csv = `url,format,selector\n${url()},text,\n${url()},text,p\n${url()},text,#none\n`;
      const batches = [
        client.post('/v1/bulk/json', {
          defaults: { url: url(), format: 'text' },
          items: [{}, { selector: 'p' }, { selector: '#none' }],
        }),
        client.send('POST', '/v1/bulk/csv', { headers: { 'content-type': 'text/csv' }, body: csv }),
      ];
      for (const { id } of await Promise.all(batches.map(json))) {
        expect(await finished(`/v1/bulk/${String(id)}`)).toMatchObject({ status: 'completed' });
        const { items } = await json(client.get(`/v1/bulk/${String(id)}/results`));
        const rows = items as Json[];
        const files = rows.filter(({ result_url }) => result_url !== null);
        const texts = await Promise.all(
          files.map(async (row) => (await client.get(String(row['result_url']))).text()),
        );
        expect(texts).toEqual([TEXT, 'Access to this page was denied']);
        expect(rows.at(-1)).toMatchObject({ format: 'text', error: { code: 'selector_not_found' } });
        const table = await (await client.get(`/v1/bulk/${String(id)}/download`)).text();
        expect(table.split(',text,').length - 1).toBe(3);
      }
    });
  });
});
