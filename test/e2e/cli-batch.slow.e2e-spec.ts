import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import sharp from 'sharp';
import { startApp, type AppProcess } from '../support/app-process.js';
import { startApps, type Apps } from '../support/apps.js';
import { onService, runCli, startCli, type CliEnd, type CliSettings } from '../support/cli.js';
import { Client, json } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { mountTinyDisk } from '../support/tiny-disk.js';

const STATE = '.capture-batch.json';
/** A disk that has room for the state and for one of the pictures. */
const DISK_BYTES = 1_048_576;
const ROOM_BYTES = 24_576;

const RESULTS = ['results.csv', 'results.ndjson'];

interface Row {
  readonly row: number;
  readonly status: string;
  readonly file: string | null;
  readonly error: { readonly code: string } | null;
}

interface State {
  readonly batches: readonly { readonly id?: string; readonly key: string; readonly rows: string }[];
}

describe('a list of pages', () => {
  let site: FixtureSite;
  let apps: Apps;
  let client: Client;
  let folder: string;

  beforeAll(async () => {
    site = await startFixtureSite();
    apps = await startApps({ EGRESS_ALLOW: `127.0.0.1:${site.port}`, WORKER_SLOTS: '4' });
    client = new Client(apps);
  }, 120_000);

  afterAll(async () => {
    await apps.stop();
    await site.close();
  });

  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'cli-batch-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const page = (name: string): string => `${site.url}/${name}`;
  const settings = (more?: CliSettings): CliSettings => onService(apps, folder, more);
  const run = (...args: string[]): Promise<CliEnd> => runCli(args, settings());
  const rowsIn = (stdout: string): Row[] =>
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row)
      .sort((one, other) => one.row - other.row);
  const list = async (name: string, ...lines: string[]): Promise<void> =>
    writeFile(path.join(folder, name), `${lines.join('\n')}\n`);
  const filesIn = async (name: string): Promise<string[]> =>
    (await readdir(path.join(folder, name), { recursive: true }))
      .filter((file) => !path.basename(file).startsWith('.') && !RESULTS.includes(path.basename(file)))
      .sort();
  const stateIn = async (name: string): Promise<State> =>
    JSON.parse(await readFile(path.join(folder, name, STATE), 'utf8')) as State;
  const used = async (): Promise<number> => Number((await json(client.get('/v1/usage'))).used);
  /** The pages of a test, each of which answers after some time, and how often each was visited. */
  const slowPages = (name: string, count: number, ms = 100): string[] =>
    Array.from({ length: count }, (_, i) => page(`slow?ms=${ms}&${name}=${i + 1}`));
  const visits = (name: string): string[] =>
    site
      .requests('/slow')
      .map(({ path: visited }) => visited)
      .filter((visited) => visited.includes(`&${name}=`));

  it('is captured into a folder: a file and a line of the results for each row', async () => {
    await list('urls.txt', '# pages', ...Array.from({ length: 12 }, (_, i) => page(`bands.html?n=${i + 1}`)));
    const before = await used();
    const { code, stdout, stderr } = await run('urls.txt', '-o', 'shots', '--viewport-width', '400');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^succeeded +12$/m) });
    const rows = rowsIn(stdout);
    expect(rows.map(({ row, status }) => `${row} ${status}`)).toEqual(
      Array.from({ length: 12 }, (_, i) => `${i + 1} succeeded`),
    );
    const name = `127.0.0.1-${site.port}-bands.html.png`;
    expect(await filesIn('shots')).toEqual(
      Array.from({ length: 12 }, (_, i) => `${String(i + 1).padStart(5, '0')}-${name}`),
    );
    for (const { file } of rows) {
      const picture = sharp(path.join(folder, 'shots', file ?? ''));
      expect(await picture.metadata()).toMatchObject({ format: 'png', width: 400 });
    }
    const results = await readFile(path.join(folder, 'shots', 'results.csv'), 'utf8');
    expect(results.trim().split('\r\n')).toHaveLength(13);
    expect(rowsIn(await readFile(path.join(folder, 'shots', 'results.ndjson'), 'utf8'))).toEqual(rows);
    expect(await used()).toBe(before + 12);
  });

  it('goes on after SIGKILL: each row is captured and charged once, and no file is fetched twice', async () => {
    const pages = slowPages('killed', 12);
    await list('urls.txt', ...pages);
    const before = await used();
    const { child, ended } = startCli(['urls.txt', '-o', 'shots'], settings());
    await eventually('some files are there', async () => (await filesIn('shots').catch(() => [])).length > 4);
    child.kill('SIGKILL');
    expect((await ended).code).toBe('SIGKILL');
    const [first = ''] = await filesIn('shots');
    const kept = path.join(folder, 'shots', first);
    await writeFile(path.join(folder, 'shots', '.capture-1-2.part'), 'half a picture');
    const { mtimeMs } = await stat(kept);
    const { code, stdout } = await run('urls.txt', '-o', 'shots');
    expect({ code, rows: rowsIn(stdout).length }).toEqual({ code: 0, rows: 12 });
    expect((await stat(kept)).mtimeMs).toBe(mtimeMs);
    expect(await filesIn('shots')).toHaveLength(12);
    expect(visits('killed').sort()).toEqual(pages.map((url) => url.slice(site.url.length)).sort());
    expect(await used()).toBe(before + 12);
    expect((await stateIn('shots')).batches).toHaveLength(1);
  });

  it('is submitted once, also when the answer of the service was lost', async () => {
    await list('urls.txt', ...slowPages('lost', 6));
    const before = await used();
    expect((await run('urls.txt', '-o', 'shots')).code).toBe(0);
    // As after a SIGKILL between the submission and its answer: the key is stored, the id is not.
    const state = path.join(folder, 'shots', STATE);
    await writeFile(state, (await readFile(state, 'utf8')).replace(/^ *"id": .*\n/m, ''));
    expect((await stateIn('shots')).batches).toEqual([
      expect.not.objectContaining({ id: expect.anything() }),
    ]);
    expect((await run('urls.txt', '-o', 'shots')).code).toBe(0);
    expect(visits('lost')).toHaveLength(6);
    expect(await used()).toBe(before + 6);
  });

  it('is canceled by Ctrl-C, and goes on with the rows that were not captured', async () => {
    const pages = slowPages('stopped', 12);
    await list('urls.txt', ...pages);
    const before = await used();
    const { child, ended } = startCli(['urls.txt', '-o', 'shots'], settings());
    await eventually('a file is there', async () => (await filesIn('shots').catch(() => [])).length > 0);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(
        /^\d+ rows are canceled and not charged\. To go on, run the same command again\.$/m,
      ),
    });
    const [{ id } = {}] = (await stateIn('shots')).batches;
    const batch = await json(client.get(`/v1/bulk/${id}`));
    expect(batch).toMatchObject({ status: 'canceled', counts: { queued: 0, running: 0 } });
    expect(await used()).toBe(before + Number((batch.counts as Record<string, number>).succeeded));
    const { code, stdout } = await run('urls.txt', '-o', 'shots');
    expect({ code, rows: rowsIn(stdout).length, files: (await filesIn('shots')).length }).toEqual({
      code: 0,
      rows: 12,
      files: 12,
    });
    expect(await used()).toBe(before + 12);
  });

  it('is left to the service with --detach, and fetched later', async () => {
    await list('urls.txt', ...slowPages('detached', 3));
    const { code, stdout, stderr } = await run('urls.txt', '-o', 'shots', '--detach');
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('without --detach') });
    const { id } = JSON.parse(stdout) as { id: string };
    const waited = await run('batches', 'wait', id);
    expect({ code: waited.code, batch: JSON.parse(waited.stdout) as object }).toMatchObject({
      code: 0,
      batch: { id, status: 'completed' },
    });
    expect((await run('urls.txt', '-o', 'shots')).code).toBe(0);
    expect(await filesIn('shots')).toHaveLength(3);
    expect(visits('detached')).toHaveLength(3);
  });

  it('with invalid rows is refused with a table of lines and columns, or captured without them', async () => {
    await list(
      'rows.csv',
      'reference;url;quality',
      `a;${page('bands.html')};`,
      '',
      `"b', '";nowhere;`,
      `c;${page('text.html')};5`,
    );
    const refused = await run('rows.csv', '-o', 'shots', '--json');
    expect(refused.stderr).toMatch(/^ +4 +2 +url +must be an absolute http or https URL/m);
    expect(refused.stderr).toMatch(/^ +5 +3 +quality +has no meaning for format png/m);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      error: {
        code: 'invalid_request',
        errors: [
          { row: 2, line: 4, file: 'rows.csv' },
          { row: 3, line: 5 },
        ],
      },
    });
    expect([refused.code, await readdir(folder)]).toEqual([2, ['rows.csv']]);
    const { code, stdout } = await run('rows.csv', '-o', 'shots', '--skip-invalid');
    expect([code, rowsIn(stdout).map(({ row, file, error }) => `${row} ${file ?? error?.code}`)]).toEqual([
      1,
      ['1 00001-a.png', '2 invalid_request', '3 invalid_request'],
    ]);
  });

  it('has its failed rows captured again with --retry-failed, with their numbers', async () => {
    await list('urls.txt', page('bands.html'), page('status/404'), page('text.html'));
    const flags = ['urls.txt', '-o', 'shots', '--fail-on-status', '404'];
    const first = await run(...flags);
    expect(first).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^failed +1 +target_http_error 1$/m),
    });
    expect(first.stderr).toContain('add --retry-failed to the command');
    const retried = await run(...flags, '--retry-failed', '--timeout-ms', '20000');
    expect([retried.code, rowsIn(retried.stdout).map(({ row, status }) => `${row} ${status}`)]).toEqual([
      1,
      ['1 succeeded', '2 failed', '3 succeeded'],
    ]);
    const batches = (await stateIn('shots')).batches;
    const retry = await json(client.get(`/v1/bulk/${batches[1]?.id}`));
    expect(retry).toMatchObject({ retry_of: batches[0]?.id, total: 1 });
    expect(site.requests('/status/404')).toHaveLength(2);
  });

  it('has the secrets of its failed rows sent again, which the service has deleted', async () => {
    await list(
      'rows.csv',
      'url,headers',
      `${page('status/403')},"{""X-Secret"":""a""}"`,
      `${page('text.html')},`,
    );
    const flags = ['rows.csv', '-o', 'shots', '--fail-on-status', '403'];
    expect((await run(...flags)).code).toBe(1);
    const { code, stdout } = await run(...flags, '--retry-failed');
    expect([code, rowsIn(stdout).map(({ row, error }) => `${row} ${error?.code}`)]).toEqual([
      1,
      ['1 target_http_error', '2 undefined'],
    ]);
    expect(site.requests('/status/403').map(({ headers }) => headers['x-secret'])).toEqual(['a', 'a']);
  });

  it.each([
    ['a wrong key', { CAPTURE_API_KEY: 'cap_wrong' }, 'urls.txt', 3, 'The service refuses the API key'],
    [
      'a service that does not run',
      { CAPTURE_URL: 'http://127.0.0.1:9' },
      'urls.txt',
      4,
      'The connection to',
    ],
    ['a header with an unknown column', {}, 'urll.csv', 2, 'The header of the CSV is not valid'],
    ['a list without rows', {}, 'empty.txt', 2, 'empty.txt has no rows.'],
  ])('leaves no folder after %s', async (_, env, source, code, message) => {
    await list('urls.txt', page('bands.html'));
    await list('urll.csv', 'urll', page('bands.html'));
    await list('empty.txt', '# nothing');
    const end = await runCli([source, '-o', 'shots'], settings({ env }));
    expect(end).toMatchObject({ code, stdout: '' });
    expect(end.stderr.trim().split('\n').at(-1)).toContain(`error: ${message}`);
    expect((await readdir(folder)).sort()).toEqual(['empty.txt', 'urll.csv', 'urls.txt']);
  });

  it('is refused in the folder of another list, with other options, and while another command uses it', async () => {
    await list('one.txt', page('bands.html'));
    await list('two.txt', page('text.html'));
    expect((await run('one.txt', '-o', 'shots')).code).toBe(0);
    expect(await run('two.txt', '-o', 'shots')).toMatchObject({
      code: 2,
      stderr:
        'error: shots has the files of another list. Choose another folder, or capture all rows again with --restart.\n',
    });
    expect((await run('one.txt', '-o', 'shots', '--dark-mode')).stderr).toContain('with other options');
    expect((await run('two.txt', '-o', 'shots', '--restart')).code).toBe(0);
    await writeFile(path.join(folder, 'shots', '.capture-batch.lock'), `${process.pid}\n`);
    expect(await run('two.txt', '-o', 'shots')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`is used by another capture command (process ${process.pid})`),
    });
  });

  it('with hostile references writes nothing outside of its folder', async () => {
    const references = [
      '../../x',
      '/etc/passwd',
      'C:\\x',
      'CON',
      '.',
      'ä\u0000b\u202e',
      'x'.repeat(200),
      '-',
    ];
    const html = '<h1>Hostile</h1>';
    await mkdir(path.join(folder, 'shots'));
    await writeFile(path.join(folder, 'victim'), 'untouched');
    // Files of the folder are replaced, not followed.
    await symlink('../victim', path.join(folder, 'shots', '00001-x.txt'));
    const rows = references.map((reference) =>
      JSON.stringify({ html, reference: reference.replace('\0', '') }),
    );
    const { code, stderr } = await runCli(
      ['-', '-o', 'shots', '--format', 'text'],
      settings({ input: rows.join('\n') }),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^succeeded +8$/m) });
    expect(await filesIn('shots')).toEqual([
      '00001-x.txt',
      '00002-etc-passwd.txt',
      '00003-C-x.txt',
      '00004-CON.txt',
      '00005-capture.txt',
      '00006-äb.txt',
      `00007-${'x'.repeat(100)}.txt`,
      '00008-capture.txt',
    ]);
    expect(await readFile(path.join(folder, 'victim'), 'utf8')).toBe('untouched');
    expect((await readdir(folder)).sort()).toEqual(['shots', 'victim']);
  });

  it('shows its progress on a terminal that may be narrow', async () => {
    await list('urls.txt', ...slowPages('watched', 9));
    const { code, stdout } = await runCli(['urls.txt', '-o', 'shots'], settings({ columns: 40 }));
    expect(code).toBe(0);
    const [summary = '', ...frames] = stdout.split('\r\u001b[K').reverse();
    expect(frames.some((frame) => /^\[#+\.+\] [1-8]\/9/.test(frame))).toBe(true);
    expect(Math.max(...frames.map((frame) => frame.length))).toBeLessThan(40);
    expect(summary).toMatch(/succeeded +9\r\n/);
    expect(stdout).not.toContain('{');
  });

  describe('goes on after', () => {
    it('a full disk, which ends it with one line', async () => {
      const disk = await mountTinyDisk(1);
      if (!disk) return;
      try {
        await list('urls.txt', ...Array.from({ length: 4 }, (_, i) => page(`text.html?disk=${i}`)));
        const shots = path.join(disk.folder, 'shots');
        const ballast = path.join(disk.folder, 'ballast');
        await writeFile(ballast, Buffer.alloc(DISK_BYTES - ROOM_BYTES));
        const full = await run('urls.txt', '-o', shots);
        expect(full.code).toBe(1);
        expect(full.stderr.trim().split('\n')).toEqual([
          expect.stringMatching(/^The service continues with batch .*run the same command again\.$/),
          expect.stringMatching(/^error: .*\.png could not be written: .*(space|full)/i),
        ]);
        const names = await readdir(shots);
        expect(names.filter((name) => /\.(part|lock)$/.test(name))).toEqual([]);
        await rm(ballast);
        expect((await run('urls.txt', '-o', shots)).code).toBe(0);
        expect((await readdir(shots)).filter((name) => name.endsWith('.png'))).toHaveLength(4);
        expect(
          site.requests('/text.html').filter(({ path: visited }) => visited.includes('disk=')),
        ).toHaveLength(4);
      } finally {
        await disk.remove();
      }
    });

    it('a key that is revoked, with another key of the account', async () => {
      await list('urls.txt', page('bands.html?revoked'), page('held'), page('text.html?revoked'));
      const before = await used();
      const key = await keys('create', '--account', 'default', '--json');
      const { key: secret, id } = JSON.parse(key) as { key: string; id: string };
      const { ended } = startCli(['urls.txt', '-o', 'shots'], settings({ env: { CAPTURE_API_KEY: secret } }));
      await eventually('a file is there', async () => (await filesIn('shots').catch(() => [])).length > 0);
      await keys('revoke', id);
      await eventually(
        'the key is refused',
        async () => (await client.withKey(secret).get('/v1/usage')).status === 401,
      );
      await eventually('the last page is requested', () => site.requests('/held').length > 0);
      site.release();
      const revoked = await ended;
      expect(revoked).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('run the same command again'),
      });
      expect(revoked.stderr.match(/^error: /gm)).toHaveLength(1);
      expect((await run('urls.txt', '-o', 'shots')).code).toBe(0);
      expect(await filesIn('shots')).toHaveLength(3);
      expect(await used()).toBe(before + 3);
    });

    it('a restart of the service, without being started again', async () => {
      await list('urls.txt', ...slowPages('restarted', 10, 200));
      let api: AppProcess | undefined;
      try {
        const { ended } = startCli(['urls.txt', '-o', 'shots'], settings());
        await eventually('a file is there', async () => (await filesIn('shots').catch(() => [])).length > 0);
        apps.api.kill('SIGKILL');
        await apps.api.ended();
        api = startApp({ name: 'api', port: Number(apps.env.PORT), env: apps.env });
        await api.ready();
        const { code, stdout } = await ended;
        expect({ code, rows: rowsIn(stdout).length }).toEqual({ code: 0, rows: 10 });
        expect(visits('restarted')).toHaveLength(10);
      } finally {
        await api?.stop();
      }
    });
  });

  async function keys(...args: string[]): Promise<string> {
    const env = { ...process.env, ...apps.env };
    const { stdout } = await promisify(execFile)(process.execPath, ['dist/scripts/keys.js', ...args], {
      env,
    });
    return stdout;
  }
});
