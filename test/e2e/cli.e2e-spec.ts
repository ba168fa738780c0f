import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { startApps, type Apps } from '../support/apps.js';
import { runCli, startCli, type CliEnd, type CliSettings } from '../support/cli.js';
import { Client, json, type Json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { mountTinyDisk } from '../support/tiny-disk.js';

/** The escape codes of pictures: keys and base64, and size and base64. */
const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);
const KITTY = new RegExp(`${ESC}_G([^;]*);([^${ESC}]*)${ESC}\\\\`, 'g');
const ITERM = new RegExp(`${ESC}\\]1337;File=inline=1;size=(\\d+);preserveAspectRatio=1:([^${BEL}]*)${BEL}`);

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

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
    return () => rm(folder, { recursive: true });
  });

  const page = (name: string): string => `${site.url}/${name}`;
  const settings = (more: CliSettings = {}): CliSettings => ({
    cwd: folder,
    ...more,
    env: { CAPTURE_URL: apps.url, CAPTURE_API_KEY: apps.key, ...more.env },
  });
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
      expect(stdout).toContain(`capturing ${page('slow?ms=2500')}, 1 s`);
      expect(stdout).toMatch(/\[Kd\.png {2}[\d.]+ k?B\r\n$/);
    });
  });

  describe('refuses', () => {
    const refused = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await run(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^error: .*\n$/);
      return stderr.slice('error: '.length, -1);
    };

    it.each([
      [['--viewport-width', '9'], '--viewport-width must be a whole number between 16 and 7680'],
      [['--selector-padding', '5'], '--selector-padding needs --selector'],
      [
        ['--hide-selectors', '[hidden]', '--hide-selectors', '['],
        expect.stringContaining('--hide-selectors must'),
      ],
      [['--cookie', 'a=b; SameSite=None'], expect.stringContaining('--cookies (value 1, same_site)')],
      [['--outputs', '[{"name":"A"}]'], expect.stringContaining('--outputs (value 1, name)')],
    ])('%j', async (args, line) => {
      expect(await refused('https://a.example', ...args)).toEqual(line);
    });

    it('each wrong option in a line of its own, and as JSON', async () => {
      const { code, stdout, stderr } = await run(
        page('x'),
        '--viewport-width',
        '5',
        '--delay-ms',
        '-4',
        '--json',
      );
      expect(code).toBe(2);
      expect(stderr.trim().split('\n')).toEqual([
        'error: --viewport-width must be a whole number between 16 and 7680',
        'error: --delay-ms must be a whole number between 0 and 30000',
      ]);
      const { error } = JSON.parse(stdout) as { error: { code: string; errors: Json[] } };
      expect(error).toMatchObject({ code: 'invalid_request', retryable: false, status: 400 });
      expect(error.errors.map(({ pointer }) => pointer)).toEqual(['/viewport_width', '/delay_ms']);
    });
  });

  describe('ends with an exit code for each reason', () => {
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

    it('3 for a wrong key, no key, and a page that must not be captured', async () => {
      const wrong = await runCli(['usage'], settings({ env: { CAPTURE_API_KEY: 'cap_wrong' } }));
      expect(wrong).toMatchObject({ code: 3, stderr: expect.stringMatching(/^error: .*Check the key.*\n$/) });
      const none = await runCli(['usage'], settings({ env: { CAPTURE_API_KEY: '' } }));
      expect(none).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/^error: No API key is set for .*\n$/),
      });
      expect(await run('http://10.0.0.1/')).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/^error: The target.*\n$/),
      });
    });

    it('4 when nothing answers, or something else does', async () => {
      const away = await runCli(['usage'], settings({ env: { CAPTURE_URL: 'http://127.0.0.1:9' } }));
      expect(away).toMatchObject({
        code: 4,
        stdout: '',
        stderr: expect.stringMatching(/^error: .*127\.0\.0\.1:9.*\n$/),
      });
      const other = await runCli(['usage'], settings({ env: { CAPTURE_URL: site.url } }));
      expect(other).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/^error: .*Check the URL of the service\.\n$/),
      });
    });

    it('2 when no service is set', async () => {
      const { code, stderr } = await runCli(['usage'], { cwd: folder });
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/^error: No service is set\..*\n$/),
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

    it('more than a page of the history, and stops when its reader does', async () => {
      await apps.database.query(
        `INSERT INTO jobs SELECT (jsonb_populate_record(NULL::jobs, to_jsonb(j) || jsonb_build_object('id', gen_random_uuid()))).*
         FROM (SELECT * FROM jobs LIMIT 1) j, generate_series(1, 150)`,
      );
      const all = (await run('captures', 'list', '--all')).stdout.trim().split('\n');
      expect(all.length).toBeGreaterThan(150);
      expect((await run('captures', 'list', '--limit', '120')).stdout.trim().split('\n')).toHaveLength(120);
      const pipeline = `node dist/apps/cli/src/main.js captures list --all | head -1 | wc -l; echo \${PIPESTATUS[0]}`;
      const { env } = settings();
      const { stdout } = await promisify(execFile)('bash', ['-c', pipeline], {
        env: { ...process.env, ...env },
      });
      expect(stdout).toBe('1\n0\n');
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

    it('tables on a terminal', async () => {
      const { stdout } = await runCli(['devices'], settings({ columns: 75 }));
      const [head = '', ...rows] = stdout.trimEnd().split('\r\n');
      expect(head).toMatch(/^ID +NAME +CATEGORY/);
      expect(rows.every((row) => row.length <= 75)).toBe(true);
    });
  });

  describe('knows the service', () => {
    const config = (): string => path.join(folder, 'config/capture-service/config.json');
    const env = (more: Record<string, string> = {}): CliSettings => ({
      cwd: folder,
      env: { XDG_CONFIG_HOME: path.join(folder, 'config'), ...more },
    });

    it('by a log-in that only its owner can read, and forgets it', async () => {
      const login = await runCli(['login', apps.url], { ...env(), input: `${apps.key}\n` });
      expect(login).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(await readFile(config(), 'utf8'))).toEqual({ url: apps.url, key: apps.key });
      expect(await modeOf(config())).toBe(0o600);
      expect(await modeOf(path.dirname(config()))).toBe(0o700);
      expect(await runCli(['usage'], env())).toMatchObject({ code: 0 });
      // The key is sent to no other service.
      const other = await runCli(['usage', '--server', site.url], env());
      expect(other).toMatchObject({
        code: 3,
        stderr: expect.stringContaining(`No API key is set for ${site.url}.`),
      });
      await chmod(config(), 0o644);
      expect(await runCli(['usage'], env())).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('chmod 600'),
      });
      await writeFile(config(), '{"url":', { mode: 0o600 });
      await chmod(config(), 0o600);
      expect(await runCli(['usage'], env())).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('`capture login`'),
      });
      expect(await runCli(['logout'], env())).toMatchObject({ code: 0 });
      expect(await runCli(['usage'], env())).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('No service is set'),
      });
    });

    it('and stores no key that does not work, nor one for something else', async () => {
      expect(await runCli(['login', apps.url, '--key', 'cap_wrong'], env())).toMatchObject({ code: 3 });
      expect(await runCli(['login', site.url, '--key', apps.key], env())).toMatchObject({ code: 4 });
      expect(site.requests('/v1/version').at(-1)?.headers.authorization).toBeUndefined();
      expect(await runCli(['login'], env())).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Which service?'),
      });
      expect(await readdir(folder)).toEqual([]);
    });

    it('as the one of the checkout, in npm run capture', async () => {
      await writeFile(path.join(folder, 'api-key'), `${apps.key}\n`);
      const local = { ...process.env, ...env().env, DATA_DIR: folder, PORT: new URL(apps.url).port };
      const { stdout } = await promisify(execFile)('node', ['scripts/capture.mjs', 'usage'], { env: local });
      expect(JSON.parse(stdout)).toMatchObject({ total: 10_000 });
    });

    it('of another version, and says so', async () => {
      const answers = createServer(({ url = '' }, response) => {
        const isVersion = url === '/v1/version';
        const problem = {
          code: 'not_found',
          title: 'Not found',
          detail: 'There is no such route.',
          retryable: false,
        };
        response
          .writeHead(isVersion ? 200 : 404, {
            'content-type': isVersion ? 'application/json' : 'application/problem+json',
          })
          .end(JSON.stringify(isVersion ? { version: '9.3.0', api_version: 'v1' } : problem));
      }).listen(0, '127.0.0.1');
      await once(answers, 'listening');
      const { port } = answers.address() as AddressInfo;
      const newer = { ...env({ CAPTURE_URL: `http://127.0.0.1:${port}`, CAPTURE_API_KEY: 'cap_x' }) };
      const { code, stderr } = await runCli(['usage'], newer);
      const version = await runCli(['version'], newer);
      answers.close();
      expect({ code, lines: stderr.split('\n') }).toEqual({
        code: 1,
        lines: [
          'error: There is no such route.',
          expect.stringMatching(
            /^warning: The service has version 9\.3\.0 and this command line \d+\.\d+\.\d+: /,
          ),
          '',
        ],
      });
      expect(version).toMatchObject({ code: 0, stderr: expect.stringContaining('version 9.3.0') });
    });
  });

  it('completes commands, flags, values and files in bash', async () => {
    const { stdout } = await run('completion', 'bash');
    await writeFile(path.join(folder, 'capture.bash'), stdout);
    const words = async (...line: string[]): Promise<string[]> => {
      const script = `source ./capture.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _capture; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const shown = await promisify(execFile)('bash', ['-c', script, 'bash', 'capture', ...line], {
        cwd: folder,
      });
      return shown.stdout.trim().split('\n');
    };
    expect(await words('jo')).toEqual(['jobs']);
    expect(await words('jobs', 'c')).toEqual(['create', 'cancel']);
    expect(await words('https://a.example', '--viewport-')).toEqual([
      '--viewport-width',
      '--viewport-height',
    ]);
    expect(await words('x', '--format', '=', 'm')).toEqual(['mhtml', 'markdown']);
    expect(await words('x', '-o', 'capt')).toEqual(['capture.bash']);
    expect(await words('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });
});
