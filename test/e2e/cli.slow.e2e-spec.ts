import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { Webhook } from 'standardwebhooks';
import { startApps, type Apps } from '../support/apps.js';
import { onService, runCli, startCli, type CliEnd, type CliSettings } from '../support/cli.js';
import { Client, json, type Json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { mountTinyDisk } from '../support/tiny-disk.js';

/** The escape codes of pictures: keys and base64, and size and base64. */
const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);
const KITTY = new RegExp(`${ESC}_G([^;]*);([^${ESC}]*)${ESC}\\\\`, 'g');
const ITERM = new RegExp(`${ESC}\\]1337;File=inline=1;size=(\\d+);preserveAspectRatio=1:([^${BEL}]*)${BEL}`);

describe('the command line', () => {
  let site: FixtureSite;
  let apps: Apps;
  let client: Client;
  let folder: string;

  beforeAll(async () => {
    site = await startFixtureSite();
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}`, WORKER_SLOTS: '2' });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await site.close();
  });

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'cli-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const page = (name: string): string => `${site.url}/${name}`;
  const settings = (more?: CliSettings): CliSettings => onService(apps, folder, more);
  const run = (...args: string[]): Promise<CliEnd> => runCli(args, settings());
  const inJson = async (...args: string[]): Promise<Json> => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Json;
  };
  const file = (name: string): Promise<Buffer> => readFile(path.join(folder, name));

  describe('captures', () => {
    it('a page into a file with the name that the service gives it, and never over one that is there', async () => {
      expect(await run(page('bands.html'))).toEqual({ code: 0, stdout: '127.0.0.1.png\n', stderr: '' });
      expect((await run(page('bands.html'), '--format', 'jpeg', '--filename', 'bands')).stdout).toBe(
        'bands.jpg\n',
      );
      expect((await run(page('bands.html'))).stdout).toBe('127.0.0.1-2.png\n');
      expect((await readdir(folder)).sort()).toEqual(['127.0.0.1-2.png', '127.0.0.1.png', 'bands.jpg']);
      expect((await sharp(await file('bands.jpg')).metadata()).format).toBe('jpeg');
    });

    it('into a file whose extension chooses the format, with flags that become options', async () => {
      const flags = [
        '--viewport-width',
        '400',
        '--viewport-height=300',
        '--no-javascript',
        '--header',
        'X-Test: a b',
      ];
      expect(await run(page('bands.html?flags'), '-o', 'a.webp', ...flags)).toMatchObject({
        code: 0,
        stdout: 'a.webp\n',
      });
      expect(await sharp(await file('a.webp')).metadata()).toMatchObject({
        format: 'webp',
        width: 400,
        height: 300,
      });
      expect(site.requests('/bands.html').at(-1)?.headers).toMatchObject({ 'x-test': 'a b' });
      const record = (await json(client.get('/v1/captures?limit=1'))) as { items: Json[] };
      expect(record.items[0]?.options).toMatchObject({
        viewport_width: 400,
        javascript: false,
        format: 'webp',
      });
    });

    it('HTML of a file and of standard input', async () => {
      await writeFile(path.join(folder, 'card.html'), '<h1>From a file</h1>');
      expect((await run('card.html', '--format', 'text', '-o', '-')).stdout).toContain('From a file');
      const input = '<h1>From a pipe</h1>';
      const piped = await runCli(
        ['--html-file', '-', '--format', 'markdown', '-o', '-'],
        settings({ input }),
      );
      expect(piped).toEqual({ code: 0, stdout: expect.stringContaining('# From a pipe'), stderr: '' });
    });

    it('several outputs of one visit into a folder, or into an archive', async () => {
      const outputs = '[{"name":"small","viewport_width":200},{"name":"words","format":"text"}]';
      const { code, stdout } = await run(page('text.html'), '--outputs', outputs);
      expect({ code, names: stdout.trim().split('\n').sort() }).toEqual({
        code: 0,
        names: ['127.0.0.1-small.png', '127.0.0.1-words.txt'],
      });
      expect((await sharp(await file('127.0.0.1-small.png')).metadata()).width).toBe(200);
      await writeFile(path.join(folder, 'outputs.json'), outputs);
      expect((await run(page('text.html'), '--outputs', '@outputs.json', '-o', 'all.zip')).stdout).toBe(
        'all.zip\n',
      );
      expect((await file('all.zip')).subarray(0, 2).toString()).toBe('PK');
      expect(await run(page('text.html'), '--outputs', outputs, '-o', 'one.png')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Several outputs are several files'),
      });
    });

    it('slices of a page, numbered after the name that is given', async () => {
      const sliced = ['--full-page', '--slice-height', '900', '--slice-at', 'exact'];
      const { stdout, code } = await run(page('bands.html'), ...sliced, '-o', 'page.png');
      expect([code, stdout]).toEqual([0, 'page-001.png\npage-002.png\npage-003.png\n']);
      expect((await sharp(await file('page-003.png')).metadata()).height).toBe(200);
      expect((await run(page('bands.html'), ...sliced)).stdout).toBe(
        '127.0.0.1-result-001.png\n127.0.0.1-result-002.png\n127.0.0.1-result-003.png\n',
      );
      expect(await run(page('bands.html'), ...sliced, '-o', '-')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Slices are several files'),
      });
    });

    it('as a record, and with -o also as a file', async () => {
      expect(await inJson(page('bands.html'), '--json')).toMatchObject({ status: 'succeeded', width: 1280 });
      expect(await readdir(folder)).toEqual([]);
      expect(await inJson(page('bands.html'), '--json', '-o', 'b.png')).toMatchObject({
        saved_to: ['b.png'],
      });
      expect((await sharp(await file('b.png')).metadata()).width).toBe(1280);
    });

    it('into standard output, unless that is a terminal', async () => {
      const { child, ended } = startCli([page('bands.html'), '-o', '-'], settings());
      const chunks: Buffer[] = [];
      child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
      child.stdout?.setEncoding('latin1');
      expect((await ended).code).toBe(0);
      const bytes = Buffer.from(chunks.join(''), 'latin1');
      expect((await sharp(bytes).metadata()).format).toBe('png');
      const shown = await runCli([page('bands.html'), '-o', '-'], settings({ columns: 80 }));
      expect(shown).toMatchObject({
        code: 2,
        stdout: expect.stringContaining('The terminal cannot print image/png.'),
      });
    });

    it('and shows the picture in a terminal that can', async () => {
      const args = [page('bands.html'), '-o', 'c.png', '--show'];
      const kitty = await runCli(args, settings({ columns: 80, env: { TERM: 'xterm-kitty' } }));
      const pieces = [...kitty.stdout.matchAll(KITTY)];
      expect(pieces[0]?.[1]).toMatch(/^a=T,f=100,q=2,m=[01]$/);
      expect(pieces.at(-1)?.[1]).toMatch(/m=0$/);
      expect(Buffer.from(pieces.map(([, , base64]) => base64).join(''), 'base64')).toEqual(
        await file('c.png'),
      );
      const iterm = await runCli(args, settings({ columns: 80, env: { TERM_PROGRAM: 'iTerm.app' } }));
      const [, size, base64 = ''] = ITERM.exec(iterm.stdout) ?? [];
      expect(Buffer.from(base64, 'base64')).toEqual(await file('c.png'));
      expect(Number(size)).toBe((await file('c.png')).length);
      const plain = await runCli(args, settings({ columns: 80, env: { TERM: 'xterm' } }));
      expect(plain).toMatchObject({ code: 2, stdout: expect.stringContaining('--show needs kitty') });
    });

    it('with a line of progress on a terminal when it takes long', async () => {
      const { stdout, code } = await runCli(
        [page('slow?ms=2500'), '-o', 'd.png'],
        settings({ columns: 120 }),
      );
      expect(code).toBe(0);
      expect(stdout).toMatch(/capturing http.*slow.ms=2500: running, \d s/);
      // NO_COLOR is set.
      expect(stdout).not.toContain(`${ESC}[2m`);
      expect(stdout).toMatch(/\[Kd\.png {2}[\d.]+ k?B\r\n$/);
    });
  });

  describe('ends with', () => {
    it('1 for a capture that failed', async () => {
      const failed = await run(page('status/404'), '--fail-on-status', '404,5xx', '-o', 'a.png');
      expect(failed).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^error: The target answered 404\. \(capture .*\)\n$/),
      });
      expect(await run('captures', 'get', '01a204f6-e3d8-7759-aa2a-2d85b55513fe')).toMatchObject({ code: 1 });
      expect(await readdir(folder)).toEqual([]);
    });

    it('3 for a page that must not be captured', async () => {
      expect(await run('http://10.0.0.1/')).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/^error: The target.*\n$/),
      });
    });

    it('1 when the disk is full, and nothing remains of the file', async () => {
      const disk = await mountTinyDisk(1);
      // This process may not mount.
      if (!disk) return;
      try {
        await writeFile(path.join(disk.folder, 'ballast'), new Uint8Array(1_020 * 1_024));
        const target = path.join(disk.folder, 'page.pdf');
        const full = await run(page('print.html'), '-o', target);
        expect(full).toEqual({
          code: 1,
          stdout: '',
          stderr: `error: ${target} could not be written: the disk is full.\n`,
        });
        expect(await readdir(disk.folder)).toEqual(['ballast']);
      } finally {
        await disk.remove();
      }
    });
  });

  describe('cancels what it started at Ctrl-C', () => {
    const recordOf = async (query: string): Promise<Json | undefined> =>
      ((await json(client.get(`/v1/captures?limit=1&${query}`))) as { items: Json[] }).items[0];

    it.each([
      ['a capture', [], 'client_disconnected'],
      ['a job that it waits for', ['jobs', 'create', '--wait'], 'client_request'],
    ])('%s', async (name, command, reason) => {
      const reference = name.replaceAll(' ', '-');
      const { child, ended } = startCli([...command, page('held'), '--reference', reference], settings());
      await eventually(
        'it runs',
        async () => (await recordOf(`reference=${reference}`))?.status === 'running',
      );
      child.kill('SIGINT');
      expect(await ended).toMatchObject({ code: 130, stderr: 'error: Interrupted.\n' });
      await eventually(
        'it is canceled',
        async () => (await recordOf(`reference=${reference}`))?.status === 'canceled',
      );
      expect(await recordOf(`reference=${reference}`)).toMatchObject({
        cancel_reason: reason,
        billable: false,
      });
      expect(await readdir(folder)).toEqual([]);
    });
  });

  describe('has commands for', () => {
    it('jobs', async () => {
      const job = await inJson(
        'jobs',
        'create',
        page('bands.html'),
        '--format',
        'webp',
        '--reference',
        'jobs',
      );
      const id = String(job.id);
      expect(await inJson('jobs', 'wait', id)).toMatchObject({ id, status: 'succeeded', reference: 'jobs' });
      expect(await inJson('jobs', 'get', id)).toMatchObject({ id, source: 'job' });
      expect((await run('jobs', 'result', id, '-o', 'job.webp')).stdout).toBe('job.webp\n');
      expect((await sharp(await file('job.webp')).metadata()).format).toBe('webp');
      const events = (await run('jobs', 'events', id)).stdout.trim().split('\n');
      expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({ id, status: 'succeeded' });
      expect((await run('jobs', 'list', '--reference', 'jobs')).stdout).toContain(id);
      const failing = await run('jobs', 'create', '--wait', page('status/500'), '--fail-on-status', '5xx');
      expect(failing).toMatchObject({ code: 1, stderr: expect.stringContaining('The target answered 500.') });
      const held = await inJson('jobs', 'create', page('held'));
      expect(await inJson('jobs', 'cancel', String(held.id))).toMatchObject({ status: 'canceled' });
      expect(await run('jobs', 'wait', String(held.id))).toMatchObject({ code: 1 });
    });

    it('the history', async () => {
      const { id } = await inJson(page('bands.html'), '--reference', 'history', '--json');
      const lines = (
        await run('captures', 'list', '--reference', 'history', '--source', 'sync', '--no-has-error')
      ).stdout;
      expect(
        lines
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as Json).id),
      ).toEqual([id]);
      expect(await inJson('captures', 'get', String(id))).toMatchObject({ reference: 'history' });
      expect((await run('captures', 'download', String(id), '-o', 'again.png')).stdout).toBe('again.png\n');
      expect((await run('captures', 'archive', String(id), '-o', 'again.zip')).stdout).toBe('again.zip\n');
      expect((await file('again.zip')).includes('record.json')).toBe(true);
      expect(await inJson('captures', 'delete', String(id))).toMatchObject({ id, url: null });
      expect(await run('captures', 'delete', String(id), '--record')).toMatchObject({ code: 0, stdout: '' });
      expect(await run('captures', 'get', String(id))).toMatchObject({ code: 1 });
    });

    it('statistics, usage, devices, health and versions', async () => {
      expect(await inJson('stats')).toMatchObject({ bucket: 'day' });
      expect(await inJson('usage')).toMatchObject({ total: 10_000 });
      expect((await run('devices')).stdout).toContain('"id":"iphone-15-pro"');
      const open = { env: { CAPTURE_API_KEY: '' } };
      expect(await runCli(['health'], settings(open))).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('"ok"'),
      });
      expect(JSON.parse((await runCli(['version'], settings(open))).stdout)).toMatchObject({
        command_line: expect.any(String),
        service: { api_version: 'v1' },
      });
    });

    it('signed links', async () => {
      const { url } = await inJson(
        'links',
        'sign',
        page('bands.html'),
        '--expires-in-s',
        '600',
        '--format',
        'webp',
      );
      const response = await fetch(new URL(String(url), apps.url));
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp']);
    });
  });

  it('does everything that its documentation shows', async () => {
    const secret = `whsec_${Buffer.from('a secret of 24 bytes....').toString('base64')}`;
    const event = '{"type":"capture.succeeded","timestamp":"2026-11-22T20:00:00Z","data":{}}';
    const at = new Date();
    await Promise.all([
      writeFile(path.join(folder, 'card.html'), '<h1>A card</h1>'),
      writeFile(path.join(folder, 'print.css'), 'h1 { color: green }'),
      writeFile(path.join(folder, 'event.json'), event),
      writeFile(path.join(folder, 'urls.txt'), `# Pages\n${page('bands.html')}\n${page('text.html')}\n`),
      writeFile(path.join(folder, 'pages.csv'), `reference,url\nhome,${page('bands.html')}\n`),
    ]);
    const script = ['docs/cli.md', 'apps/cli/README.md'].map(scriptOfPage).join('\n');
    const shown = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: folder,
      env: {
        ...process.env,
        MAIN: path.resolve('dist/apps/cli/src/main.js'),
        PAGE: page('text.html'),
        HOME: folder,
        CAPTURE_URL: apps.url,
        CAPTURE_API_KEY: apps.key,
        CAPTURE_WEBHOOK_SECRET: secret,
        WEBHOOK_ID: 'msg_1',
        WEBHOOK_TIMESTAMP: String(Math.floor(at.getTime() / 1_000)),
        WEBHOOK_SIGNATURE: new Webhook(secret).sign('msg_1', at, event),
      },
    });
    // Only lists print a summary.
    expect(shown.stderr).not.toContain('error');
    expect(shown.stderr.match(/^succeeded +[12]$/gm)).toHaveLength(5);
    expect(shown.stdout).toContain('loud words');
    const written = await readdir(folder, { recursive: true });
    expect(written).toEqual(
      expect.arrayContaining([
        '127.0.0.1.png',
        'page.pdf',
        'phone.webp',
        'card.png',
        'hello.png',
        'tuned.png',
        'report.pdf',
        'report.zip',
        'site/00001-home.webp',
        'piped/results.csv',
        'later.zip',
        'later/results.csv',
      ]),
    );
    expect(await sharp(await file('card.png')).metadata()).toMatchObject({ width: 600, height: 315 });
    expect(await readdir(path.join(folder, 'shots'))).toEqual(
      expect.arrayContaining(['127.0.0.1-phone.png', '127.0.0.1-text.txt', 'results.csv']),
    );
  }, 120_000);
});

/** The commands of a page in blocks of `sh`, with the page of the test instead of example.com. */
function scriptOfPage(name: string): string {
  const blocks = [...readFileSync(name, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(
    ([, block]) => block,
  );
  const commands = blocks
    .join('\n')
    .replaceAll('https://example.com', '"$PAGE"')
    .replaceAll('npx -p @capture-service/cli ', '')
    .replaceAll('login https://capture.example.com', 'login "$CAPTURE_URL" --key "$CAPTURE_API_KEY"');
  return `capture() { node "$MAIN" "$@"; }\n${commands}`;
}
