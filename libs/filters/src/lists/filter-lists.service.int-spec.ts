import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Env } from '@app/config';
import { instantiate, ManualClock } from '@app/kernel';
import { EgressGuard, GuardedFetchService, readEgressPolicy } from '@app/outbound';
import { FlippingResolver } from '../../../../test/egress/flipping-resolver.js';
import { FILTER_KINDS, type FilterKind } from '../filter-set.js';
import { BundledListsService } from './bundled-lists.service.js';
import { bundleLists } from './bundle-lists.js';
import { DownloadedListsService } from './downloaded-lists.service.js';
import { FilterCompiler } from './filter-compiler.js';
import { FilterListsService } from './filter-lists.service.js';
import { ListDownloader } from './list-downloader.js';
import { OwnRulesService } from './own-rules.service.js';

const HOUR_MS = 60 * 60_000;

/** The thread of the build, as sources have none that Node could run. */
class BuiltCompiler extends FilterCompiler {
  protected override readonly thread = pathToFileURL(
    resolve('dist/libs/filters/src/lists/compile-thread.js'),
  );
}

const rules = (count: number, name: string) =>
  Array.from({ length: count }, (_, i) => `||${name}${i}.example^`).join('\n');

describe(FilterListsService.name, () => {
  let folder: string;
  let server: http.Server;
  let origin: string;
  let serve: http.RequestListener;
  let requests: http.IncomingMessage[];
  let clock: ManualClock;

  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'filter-lists-'));
    clock = new ManualClock(new Date('2027-01-01T00:00:00Z'));
    requests = [];
    server = http.createServer((request, response) => {
      requests.push(request);
      serve(request, response);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    await bundleLists({
      folder: join(folder, 'bundled'),
      sources: ['test@1'],
      read: async () => [{ kind: 'ads', text: '! Title: Bundled\n||bundled.example^', licence: 'MIT' }],
    });
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (values: Partial<Record<keyof Env, string>>): Promise<FilterListsService> => {
    const env = instantiate(Env, { EGRESS_ALLOW: origin, DATA_DIR: folder, ...values });
    class Bundled extends BundledListsService {
      protected override readonly folder = join(folder, 'bundled');
    }
    const client = new GuardedFetchService(new EgressGuard(readEgressPolicy(env)), new FlippingResolver());
    const compiler = new BuiltCompiler();
    const lists = new FilterListsService(
      new Bundled(),
      new DownloadedListsService(env, clock, new ListDownloader(client), compiler),
      new OwnRulesService(env, compiler),
    );
    await lists.onModuleInit();
    return lists;
  };

  const refresh = (lists: FilterListsService) => lists.refresh(new AbortController().signal);
  const later = (hours: number) => clock.set(new Date(clock.now().getTime() + hours * HOUR_MS));
  const verdict = (lists: FilterListsService, host: string, kinds: readonly FilterKind[] = FILTER_KINDS) =>
    lists.current().judgeHost(host, 'https://page.example/', kinds);
  const text = (body: string, headers: http.OutgoingHttpHeaders = {}) => {
    serve = (_, response) => void response.writeHead(200, headers).end(body);
  };

  it('uses the lists that come with the service when no others are configured', async () => {
    const lists = await start({});
    expect(verdict(lists, 'bundled.example')).toBe('ads');
    expect(lists.state()).toEqual({
      lists: [{ name: 'Bundled', kind: 'ads', date: null, rules: 1 }],
      errors: [],
    });
    await refresh(lists);
    expect(requests).toEqual([]);
  });

  it('replaces them by those of FILTER_LISTS_URL, each of its kind', async () => {
    serve = ({ url }, response) => {
      if (url === '/ads.txt') response.end('! Title: My ads\n! Last modified: 2026-12-01\n||ads.example^');
      else response.end('||stats.example^');
    };
    const FILTER_LISTS_URL = `http://${origin}/ads.txt, trackers=http://${origin}/privacy.txt?key=secret`;
    const lists = await start({ FILTER_LISTS_URL });
    expect(verdict(lists, 'bundled.example')).toBe('ads');
    await refresh(lists);
    expect(verdict(lists, 'bundled.example')).toBeUndefined();
    expect(verdict(lists, 'ads.example')).toBe('ads');
    expect(verdict(lists, 'stats.example')).toBe('trackers');
    expect(lists.state()).toEqual({
      lists: [
        { name: 'My ads', kind: 'ads', date: '2026-12-01T00:00:00.000Z', rules: 1 },
        { name: `${origin}/privacy.txt`, kind: 'trackers', date: '2027-01-01T00:00:00.000Z', rules: 1 },
      ],
      errors: [],
    });
  });

  it('asks again after a day, with the validators of what it has, and swaps the set as a whole', async () => {
    text('||one.example^', { etag: '"1"', 'last-modified': 'Fri, 01 Jan 2027 00:00:00 GMT' });
    const lists = await start({ FILTER_LISTS_URL: `http://${origin}/` });
    await refresh(lists);
    later(23);
    await refresh(lists);
    expect(requests).toHaveLength(1);
    later(2);
    serve = (_, response) => void response.writeHead(304).end();
    const before = lists.current();
    await refresh(lists);
    expect(requests.at(-1)?.headers).toMatchObject({
      'if-none-match': '"1"',
      'if-modified-since': 'Fri, 01 Jan 2027 00:00:00 GMT',
    });
    expect(lists.current()).toBe(before);
    later(25);
    text('||two.example^');
    await refresh(lists);
    // A capture that runs keeps the set it began with.
    expect(before.judgeHost('one.example', 'https://page.example/', ['ads'])).toBe('ads');
    expect(verdict(lists, 'one.example')).toBeUndefined();
    expect(verdict(lists, 'two.example')).toBe('ads');
  });

  it('starts without network with what it downloaded before, and asks when that is a day old', async () => {
    text('||kept.example^');
    const FILTER_LISTS_URL = `http://${origin}/`;
    await refresh(await start({ FILTER_LISTS_URL }));
    const again = await start({ FILTER_LISTS_URL, EGRESS_ALLOW: '' });
    expect(verdict(again, 'kept.example')).toBe('ads');
    await refresh(again);
    expect(again.state().errors).toEqual([]);
    later(25);
    await refresh(again);
    expect(again.state().errors).toEqual([expect.stringContaining('its address is not allowed')]);
    expect(verdict(again, 'kept.example')).toBe('ads');
    expect(requests).toHaveLength(1);
  });

  it('compiles again from the kept text when the compiled form is damaged', async () => {
    text('||kept.example^');
    const FILTER_LISTS_URL = `http://${origin}/`;
    await refresh(await start({ FILTER_LISTS_URL }));
    const compiled = join(folder, 'filter-lists/compiled.bin');
    await writeFile(compiled, 'damaged\n');
    expect(verdict(await start({ FILTER_LISTS_URL, EGRESS_ALLOW: '' }), 'kept.example')).toBe('ads');
  });

  it('works without a folder to keep lists in', async () => {
    text('||ads.example^');
    const file = join(folder, 'file');
    await writeFile(file, '');
    const lists = await start({ FILTER_LISTS_URL: `http://${origin}/`, DATA_DIR: file });
    await refresh(lists);
    later(25);
    serve = (_, response) => void response.writeHead(304).end();
    await refresh(lists);
    expect(verdict(lists, 'ads.example')).toBe('ads');
    expect(lists.state().errors).toEqual([]);
  });

  it.each<[string, http.RequestListener, string]>([
    ['an error', (_, response) => void response.writeHead(500).end(), 'its server answered 500'],
    [
      'a page of HTML',
      (_, response) => void response.end('\n<!DOCTYPE html><p>Log in</p>'),
      'no list of text',
    ],
    [
      'something binary',
      (_, response) => void response.end(Buffer.from([31, 139, 8, 0, 255])),
      'no list of text',
    ],
    ['prose', (_, response) => void response.end('This list has moved.\nPlease see our site.\n'), 'no rules'],
    ['JSON', (_, response) => void response.end('{\n "error": "gone",\n "code": 1\n}'), 'no rules'],
    ['nothing', (_, response) => void response.end(), 'no rules'],
    [
      'few rules in much else',
      (_, response) => void response.end(`||a.example^\n${'a b c\n'.repeat(99)}`),
      'only 1 of',
    ],
    [
      'a part of it',
      (_, response) => void response.end(rules(50, 'part')),
      'it has 50 rules instead of 1500',
    ],
    [
      'too much',
      (_, response) => void response.end(Buffer.alloc(21 * 1024 * 1024, '||a.example^\n')),
      'larger than',
    ],
    [
      'an endless redirect',
      (_, response) => void response.writeHead(302, { location: '/' }).end(),
      'more than 3',
    ],
    [
      'a redirect to a private address',
      (_, response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
      'not allowed',
    ],
    [
      'a redirect to a file',
      (_, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
      'not allowed',
    ],
    ['a broken connection', (request) => void request.socket.destroy(), 'could not be reached'],
  ])('keeps the last good list when its server sends %s, and reports why', async (_, listener, reason) => {
    text(rules(1_500, 'good'));
    const lists = await start({ FILTER_LISTS_URL: `http://${origin}/list.txt?key=secret` });
    await refresh(lists);
    expect(lists.state().errors).toEqual([]);
    later(25);
    serve = listener;
    await refresh(lists);
    expect(verdict(lists, 'good7.example')).toBe('ads');
    expect(lists.state().errors).toEqual([expect.stringContaining(reason)]);
    expect(lists.state().errors[0]).toMatch(new RegExp(`^${origin}/list.txt: `));
    text(rules(1_400, 'better'));
    later(2);
    await refresh(lists);
    expect(verdict(lists, 'better7.example')).toBe('ads');
    expect(lists.state().errors).toEqual([]);
  });

  it('uses the good ones of several lists', async () => {
    serve = ({ url }, response) => void response.end(url === '/good' ? '||good.example^' : '<html>');
    const lists = await start({ FILTER_LISTS_URL: `http://${origin}/bad,chats=http://${origin}/good` });
    await refresh(lists);
    expect(verdict(lists, 'good.example')).toBe('chats');
    expect(lists.state().lists).toHaveLength(1);
    expect(lists.state().errors).toEqual([`${origin}/bad: it is no list of text`]);
  });

  it('follows a redirect that the guard allows', async () => {
    serve = ({ url }, response) => {
      if (url === '/new') response.end('||moved.example^');
      else response.writeHead(301, { location: '/new' }).end();
    };
    const lists = await start({ FILTER_LISTS_URL: `http://${origin}/old` });
    await refresh(lists);
    expect(verdict(lists, 'moved.example')).toBe('ads');
  });

  it('goes on without a rule whose expression could take years, and stays quick with the rest', async () => {
    text('||ads.example^\n/(a+)+\\1$/\n/^(?=(a+)+$)/\n/(a|a)*b$/\n*a*a*a*a*a*a*b$image\n||more.example^');
    const lists = await start({ FILTER_LISTS_URL: `http://${origin}/` });
    await refresh(lists);
    expect(lists.state().lists[0]?.rules).toBe(4);
    const startedAt = performance.now();
    for (const type of ['image', 'script'] as const) {
      const url = `https://cdn.example/${'a'.repeat(100_000)}`;
      expect(
        lists.current().judge({ url, type, documentUrl: 'https://page.example/' }, FILTER_KINDS),
      ).toBeUndefined();
    }
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('adds the rules of FILTER_RULES_FILE, and reads it again when it changes', async () => {
    const FILTER_RULES_FILE = join(folder, 'rules.txt');
    await writeFile(
      FILTER_RULES_FILE,
      '||own.example^\n@@||bundled.example/x\n! kind: cookies\n##.our-banner\n',
    );
    const lists = await start({ FILTER_RULES_FILE });
    expect(verdict(lists, 'own.example')).toBe('ads');
    expect(verdict(lists, 'bundled.example')).toBe('allowed');
    const features = { classes: ['our-banner'], ids: [], hrefs: [] };
    expect(lists.current().stylesFor('https://page.example/', ['cookies'], features)).toContain(
      '.our-banner',
    );
    expect(lists.current().stylesFor('https://page.example/', ['ads'], features)).toBe('');
    expect(lists.state().lists.map(({ name, kind }) => [name, kind])).toEqual([
      ['Bundled', 'ads'],
      ['FILTER_RULES_FILE', 'ads'],
      ['FILTER_RULES_FILE', 'cookies'],
    ]);
    const before = lists.current();
    await refresh(lists);
    expect(lists.current()).toBe(before);
    await writeFile(FILTER_RULES_FILE, '||changed.example^');
    await refresh(lists);
    expect(verdict(lists, 'own.example')).toBeUndefined();
    expect(verdict(lists, 'changed.example')).toBe('ads');
    expect(verdict(lists, 'bundled.example')).toBe('ads');
  });

  it('takes 10,000 rules of the operator', async () => {
    const FILTER_RULES_FILE = join(folder, 'rules.txt');
    await writeFile(FILTER_RULES_FILE, rules(10_000, 'own'));
    const lists = await start({ FILTER_RULES_FILE });
    expect(verdict(lists, 'own0.example')).toBe('ads');
    expect(verdict(lists, 'own9999.example')).toBe('ads');
    expect(lists.state().lists.at(-1)?.rules).toBe(10_000);
  });

  it('keeps the last good rules of the operator, and reports what is wrong with the file', async () => {
    const FILTER_RULES_FILE = join(folder, 'rules.txt');
    const lists = await start({ FILTER_RULES_FILE });
    expect(lists.state().errors).toEqual(['FILTER_RULES_FILE: it cannot be read (ENOENT)']);
    await writeFile(FILTER_RULES_FILE, '||own.example^\nthis is no rule');
    await refresh(lists);
    expect(lists.state().errors).toEqual([expect.stringContaining('1 of its lines')]);
    await writeFile(FILTER_RULES_FILE, Buffer.from([0, 1, 2]));
    await refresh(lists);
    expect(lists.state().errors).toEqual(['FILTER_RULES_FILE: it is no text in UTF-8']);
    await writeFile(FILTER_RULES_FILE, Buffer.alloc(6 * 1024 * 1024, '||a.example^\n'));
    await refresh(lists);
    expect(lists.state().errors).toEqual(['FILTER_RULES_FILE: it is larger than 5 MB']);
    expect(verdict(lists, 'own.example')).toBe('ads');
  });

  it.each([
    'ftp://lists.example/a',
    'nothing',
    'movies=https://lists.example/a',
    'https://user:pw@lists.example/a',
  ])('refuses to start with %s, without repeating it', async (entry) => {
    const started = start({ FILTER_LISTS_URL: `https://lists.example/ok,${entry}` });
    await expect(started).rejects.toThrow('FILTER_LISTS_URL entry 2 must be a URL');
    await expect(started).rejects.not.toThrow(entry);
  });

  it('leaves no temporary files', async () => {
    text('||ads.example^');
    await refresh(await start({ FILTER_LISTS_URL: `http://${origin}/` }));
    const files = await readdir(join(folder, 'filter-lists'));
    expect(files.filter((file) => file.endsWith('.tmp'))).toEqual([]);
    expect(files).toHaveLength(3);
  });
});
