import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../../../test/support/api.js';
import { runCli, type CliEnd, type CliSettings } from '../../../test/support/cli.js';
import type { Client, Json } from '../../../test/support/client.js';

const modeOf = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;

/** The page of something else, such as a router that asks for a log-in. */
const page: RequestListener = (_, response) =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');

describe('the command line and the API', () => {
  let api: TestApi;
  let client: Client & { readonly accountId: string; readonly apiKey: string };
  let folder: string;

  beforeAll(async () => {
    api = await startApi();
    client = await api.client();
  });

  afterAll(() => api.close());

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'cli-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const settings = (more: CliSettings = {}): CliSettings => ({
    cwd: folder,
    ...more,
    env: { CAPTURE_URL: api.url, CAPTURE_API_KEY: client.apiKey, ...more.env },
  });
  const run = (...args: string[]): Promise<CliEnd> => runCli(args, settings());

  /** A server that is no service, or one of another kind. */
  const withServer = async <T>(answer: RequestListener, use: (url: string) => Promise<T>): Promise<T> => {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  };

  it('tests an endpoint, lists and shows the delivery, and rotates the secret', async () => {
    const record = async (...args: string[]): Promise<Json> =>
      JSON.parse((await run('webhooks', ...args)).stdout) as Json;
    const { id } = await record('test', 'https://example.com/hook');
    for (let i = 0; i < 2; i++) await record('test', 'https://example.com/other');
    const listed = await run('webhooks', 'list', '--state', 'pending', '--limit', '2');
    expect(listed.stdout.trim().split('\n')).toHaveLength(2);
    expect(await record('get', String(id))).toMatchObject({ id, type: 'webhook.test', log: [] });
    expect(await record('replay', String(id))).toMatchObject({ id, state: 'pending' });
    const { secret } = await record('secret');
    expect(await record('secret', '--rotate')).not.toMatchObject({ secret });
    expect(await run('webhooks', 'list', '--state', 'lost')).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('state must be one of'),
    });
  });

  it('makes sessions of a state and of a log-in, whose secrets are in no argument, and deletes them', async () => {
    const origin = 'https://shop.example';
    const state = { cookies: [{ name: 'sid', value: 'a', domain: 'shop.example', path: '/' }], origins: [] };
    await writeFile(path.join(folder, 'state.json'), JSON.stringify(state));
    await writeFile(
      path.join(folder, 'steps.json'),
      '[{"type":"fill","selector":"#password","secret":"password"},{"type":"fill","selector":"#code","totp":"seed"}]',
    );
    await writeFile(path.join(folder, 'secrets.json'), '{"seed":"GEZDGNBVGY3TQOJQ"}');
    const sessions = (...args: string[]): Promise<CliEnd> =>
      runCli(['sessions', ...args], settings({ env: { SHOP_PASSWORD: 'correct horse' } }));
    const record = async (...args: string[]): Promise<Json> => {
      const { stdout, stderr } = await sessions(...args);
      expect(stderr).toBe('');
      return JSON.parse(stdout) as Json;
    };
    expect(await record('create', 'shop', '--origin', origin, '--from-state', 'state.json')).toMatchObject({
      name: 'shop',
      status: 'active',
      origins: [origin],
    });
    const login = ['--login', 'steps.json', '--login-url', `${origin}/login`];
    const secrets = ['--secrets', 'secrets.json', '--secret-env', 'password=SHOP_PASSWORD'];
    const check = ['--check-url', `${origin}/account`, '--check-selector', '.account'];
    const made = await record('create', 'b', '--origin', origin, ...login, ...secrets, ...check);
    expect(made).toMatchObject({ status: 'pending', check: { selector: '.account' } });
    const secretless = await sessions('create', 'c', '--origin', origin, ...login);
    expect(secretless).toMatchObject({ code: 2, stderr: expect.stringContaining('entry of secrets') });
    expect((await sessions('list')).stdout.trim().split('\n')).toHaveLength(2);
    expect(await record('get', 'b')).toMatchObject({ id: made.id });
    expect(await record('login', 'b')).toMatchObject({ is_logging_in: true });
    expect(await sessions('picture', 'shop', '-o', 'a.png')).toMatchObject({ code: 1 });
    expect(await record('delete', 'shop')).toEqual({ deleted: 'shop' });
    expect(await sessions('get', 'shop')).toMatchObject({ code: 1, stdout: '' });
    for (const [args, said] of [
      [['--from-state', 'none.json'], 'there is no such file'],
      [[...login, '--secret-env', 'password=NOT_SET'], 'NOT_SET is not set'],
      [['--login', 'steps.json'], '--login-url'],
      [['--from-state', 'state.json', '--check-url', origin], '--check-selector'],
      [[], '--from-state'],
    ] as const) {
      expect(await sessions('create', 'd', '--origin', origin, ...args)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(said),
      });
    }
  });

  it('watches a page, and tells chats whose addresses are in no argument', async () => {
    const monitors = (...args: string[]): Promise<CliEnd> =>
      runCli(
        ['monitors', ...args],
        settings({ env: { SLACK_URL: 'https://hooks.slack.com/services/T0/B0/X' } }),
      );
    const record = async (...args: string[]): Promise<Json> => {
      const { stdout, stderr } = await monitors(...args);
      expect(stderr).toBe('');
      return JSON.parse(stdout) as Json;
    };
    const page = 'https://example.com/pricing';
    const made = await record(
      ...['add', page, '--every', '1h', '--full-page', '--name', 'prices', '--min-ratio', '0.01'],
      ...['--confirm', '1', '--ignore', '.clock', '--notify', 'slack=SLACK_URL'],
    );
    expect(made).toMatchObject({
      name: 'prices',
      schedule: { every_s: 3_600 },
      capture: { url: page, full_page: true },
      alert: { min_ratio: 0.01, confirm: 1, ignore_selectors: ['.clock'] },
      notify: [{ type: 'slack' }],
    });
    const id = String(made.id);
    const mornings = ['--cron', '0 9 * * 1-5', '--cron-timezone', 'Europe/Paris'];
    const other = String((await record('add', page, ...mornings)).id);
    expect((await monitors('list')).stdout.trim().split('\n')).toHaveLength(2);
    expect(await record('pause', other)).toMatchObject({ state: 'paused' });
    expect(await record('resume', other)).toMatchObject({ state: 'active' });
    await record('run', id);
    expect(await record('checks', id)).toMatchObject({ url: page, outcome: null, trigger: 'request' });
    expect((await monitors('checks', id, '--outcome', 'changed')).stdout).toBe('');
    expect(await record('show', id)).toMatchObject({ id, last_check: { url: page } });
    expect(await record('rm', id)).toEqual({ deleted: id });
    for (const [args, said] of [
      [[], '--every'],
      [['--every', 'often'], 'a period such as'],
      [['--every', '1h', '--notify', 'slack'], 'slack=SLACK_URL'],
      [['--every', '1h', '--notify', 'teams=NOT_SET'], 'NOT_SET is not set'],
      [['--every', '1h', '--email', 'ada@example.com'], 'SMTP_URL'],
    ] as const) {
      expect(await monitors('add', page, ...args)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(said),
      });
    }
  });

  it('starts crawls, lists them, shows what they found, and cancels them', async () => {
    const record = async (...args: string[]): Promise<Json> => {
      const { stdout, stderr } = await run(...args);
      expect(stderr).toBe('');
      return JSON.parse(stdout) as Json;
    };
    const site = 'https://docs.example/';
    const rules = ['--source', 'sitemap', '--limit', '5', '--include', '*/a/*', '--include', '*/b/*'];
    const made = await record('crawl', site, '--detach', ...rules, '--same', 'prefix', '--full-page');
    expect(made).toMatchObject({ url: site, source: 'sitemap', limit: 5, same: 'prefix' });
    expect(made.include).toEqual(['*/a/*', '*/b/*']);
    const id = String(made.id);
    expect(await record('crawls', 'list')).toMatchObject({ id, status: 'discovering' });
    expect(await run('crawls', 'pages', id, '--outcome', 'ok')).toEqual({ code: 0, stdout: '', stderr: '' });
    const book = await run('crawls', 'download', id, '--as', 'markdown', '-o', '-');
    expect(book.stdout).toContain('# docs.example');
    expect((await run('crawls', 'download', id)).stdout).toBe(`crawl-${id}.zip\n`);
    expect(await record('crawls', 'cancel', id)).toMatchObject({ id, status: 'canceled' });
    expect(await run('crawls', 'wait', id)).toMatchObject({
      code: 1,
      stderr: `error: The crawl ${id} was canceled.\n`,
    });
    const refused = await run('crawl', site, '-o', 'site', '--max-depth', '101');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--max-depth must be') });
    // The folder of a crawl that the service has refused belongs to none.
    expect(await readdir(folder)).toEqual([`crawl-${id}.zip`]);
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
        'https://a.example',
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

  describe('ends with', () => {
    it('3 for a wrong key, and for none', async () => {
      const wrong = await runCli(['usage'], settings({ env: { CAPTURE_API_KEY: 'cap_wrong' } }));
      expect(wrong).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/^error: .*`capture login` stores another one.*\n$/),
      });
      const none = await runCli(['usage'], settings({ env: { CAPTURE_API_KEY: '' } }));
      expect(none).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/^error: No API key is set for .*\n$/),
      });
    });

    it('4 when nothing answers, or something else does', async () => {
      const away = await runCli(['usage'], settings({ env: { CAPTURE_URL: 'http://127.0.0.1:9' } }));
      expect(away).toMatchObject({
        code: 4,
        stdout: '',
        stderr: expect.stringMatching(/^error: .*127\.0\.0\.1:9.*\n$/),
      });
      const other = await withServer(page, (url) =>
        runCli(['usage'], settings({ env: { CAPTURE_URL: url } })),
      );
      expect(other).toMatchObject({
        code: 4,
        stderr: expect.stringMatching(/^error: .*The URL is set by .*\n$/),
      });
    });

    it('4 when a download is cut off, and writes nothing', async () => {
      const cutOff: RequestListener = (_, response) => {
        response.writeHead(200, {
          'content-type': 'image/png',
          'content-length': '1000',
          'x-capture-id': 'a',
        });
        response.write(Buffer.alloc(100), () => response.destroy());
      };
      const end = await withServer(cutOff, (url) =>
        runCli(['https://a.example', '-o', 'a.png'], settings({ env: { CAPTURE_URL: url } })),
      );
      expect(end).toMatchObject({ code: 4, stdout: '', stderr: expect.stringMatching(/^error: .*\n$/) });
      expect(await readdir(folder)).toEqual([]);
    });

    it('2 when no service is set', async () => {
      const { code, stderr } = await runCli(['usage'], { cwd: folder });
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringMatching(/^error: No service is set\..*\n$/),
      });
    });
  });

  describe('prints', () => {
    it('more than a page of the history, and stops when its reader does', async () => {
      await run('jobs', 'create', 'https://a.example');
      await api.database.query(
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

    it('a record in one line of a pipe, and indented on a terminal', async () => {
      const { stdout } = await run('version', '--json');
      expect(stdout.split('\n')).toHaveLength(2);
      const shown = await runCli(['version', '--json'], settings({ columns: 80 }));
      expect(shown.stdout.split('\r\n').length).toBeGreaterThan(3);
      expect(JSON.parse(shown.stdout)).toEqual(JSON.parse(stdout));
    });

    it('the faults of a list in full on a narrow terminal, and draws nothing on a dumb one', async () => {
      await writeFile(path.join(folder, 'bad.csv'), 'url,viewport_width\nhttps://a.example/,5\n');
      const { stdout } = await runCli(
        ['bad.csv', '-o', 'shots'],
        settings({ columns: 40, env: { TERM: 'dumb' } }),
      );
      expect(stdout).toContain('must be a whole number between 16 and 7680');
      expect(stdout).not.toContain(String.fromCharCode(27));
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
      const login = await runCli(['login', api.url], { ...env(), input: `${client.apiKey}\n` });
      expect(login).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(await readFile(config(), 'utf8'))).toEqual({ url: api.url, key: client.apiKey });
      expect(await modeOf(config())).toBe(0o600);
      expect(await modeOf(path.dirname(config()))).toBe(0o700);
      expect(await runCli(['usage'], env())).toMatchObject({ code: 0 });
      // The key is sent to no other service.
      const other = await runCli(['usage', '--server', 'http://127.0.0.1:9'], env());
      expect(other).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('No API key is set for http://127.0.0.1:9.'),
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
      expect(await runCli(['login', api.url, '--key', 'cap_wrong'], env())).toMatchObject({ code: 3 });
      const seen: unknown[] = [];
      const other: RequestListener = (request, response) => {
        seen.push(request.headers.authorization);
        page(request, response);
      };
      expect(
        await withServer(other, (url) => runCli(['login', url, '--key', client.apiKey], env())),
      ).toMatchObject({ code: 4 });
      expect(seen).toEqual([undefined]);
      expect(await runCli(['login'], env())).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Which service?'),
      });
      expect(await readdir(folder)).toEqual([]);
    });

    it('as the one of the checkout, in npm run capture', async () => {
      await writeFile(path.join(folder, 'api-key'), `${client.apiKey}\n`);
      const local = { ...process.env, ...env().env, DATA_DIR: folder, PORT: new URL(api.url).port };
      const { stdout } = await promisify(execFile)('node', ['scripts/capture.mjs', 'usage'], { env: local });
      expect(JSON.parse(stdout)).toMatchObject({ total: 1_000 });
    });

    it('of another version, and says so', async () => {
      const newer: RequestListener = ({ url = '' }, response) => {
        const isVersion = url === '/v1/version';
        const problem = {
          code: 'not_found',
          title: 'Not found',
          detail: 'There is no such route.',
          retryable: false,
        };
        response
          .writeHead(isVersion ? 200 : 404, {
            'content-type': `application/${isVersion ? '' : 'problem+'}json`,
          })
          .end(JSON.stringify(isVersion ? { version: '9.3.0', api_version: 'v1' } : problem));
      };
      const [{ code, stderr }, version] = await withServer(newer, async (url) => {
        const known = env({ CAPTURE_URL: url, CAPTURE_API_KEY: 'cap_x' });
        return [await runCli(['usage'], known), await runCli(['version'], known)] as const;
      });
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
