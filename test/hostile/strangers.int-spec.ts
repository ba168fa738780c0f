import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BrowserPoolService } from '@app/browser';
import { parseOptions } from '@app/capture';
import { CaptureEngine } from '@app/capture/engine';
import type { EgressProxy } from '@app/outbound';
import { browserEnv } from '../support/browser.js';
import { loopbackEgress } from '../support/loopback-egress.js';
import { noFilters } from '../support/filters.js';

const ATTEMPTS = 1_600;
/** Limits as in production, which the stranger's connections would use up at once. */
const LIMITS = { requests: 1_500, connections: 64, bytes: 50e6 };

/** Runs in the other process: opens many connections, sends a request on each, keeps all of them and prints the answers. */
const STRANGER = `
  const { connect } = require('node:net');
  const [port, target, count, words] = process.argv.slice(1);
  const answers = {};
  let settled = 0;
  const settle = (answer) => {
    answers[answer] = (answers[answer] ?? 0) + 1;
    settled += 1;
    if (settled === Number(count)) process.stdout.write(JSON.stringify(answers), () => process.exit());
  };
  for (let i = 0; i < Number(count); i += 1) {
    const socket = connect(Number(port), '127.0.0.1', () => {
      if (words === 'CONNECT') socket.write('CONNECT ' + target + ' HTTP/1.1\\r\\nHost: ' + target + '\\r\\n\\r\\n');
      if (words === 'GET') socket.write('GET http://' + target + '/stolen HTTP/1.1\\r\\nHost: ' + target + '\\r\\n\\r\\n');
      if (words === 'half') socket.write('GET http://' + target + '/stolen HTTP/1.1\\r\\nX-Slow: ');
      if (words === 'nothing' || words === 'half') settle('open');
    });
    let isAnswered = words === 'nothing' || words === 'half';
    const answer = (text) => { if (!isAnswered) settle(text); isAnswered = true; };
    socket.on('data', (data) => answer(data.toString().split(' ')[1]));
    socket.on('error', () => answer('closed'));
    socket.on('close', () => answer('closed'));
  }`;

let folder: string;
/** A Node that other users may run; that of the data folder is closed to them. */
let node: string;
let site: Server;
let origin: string;
let held: PromiseWithResolvers<ServerResponse>;
let asked: string[];
let pool: BrowserPoolService;
let opened: EgressProxy[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'capture-stranger-'));
  await chmod(folder, 0o755);
  node = path.join(folder, 'node');
  await copyFile(process.execPath, node, constants.COPYFILE_FICLONE);
  site = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/held') return held.resolve(response);
    if (request.url !== '/') return void response.end();
    const late = Array.from({ length: 20 }, (_, i) => `new Image().src = '/late${i}'`).join(';');
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><title>Neighbour</title><img src="/held" onerror="${late}">`);
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  origin = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  opened = [];
  const egressProxies = loopbackEgress(LIMITS);
  const open = async (): Promise<EgressProxy> => {
    const proxy = await egressProxies.open();
    opened.push(proxy);
    return proxy;
  };
  pool = new BrowserPoolService(browserEnv(), { open });
  await pool.start();
});

afterAll(async () => {
  await pool.close();
  site.closeAllConnections();
  site.close();
  await rm(folder, { recursive: true });
});

async function intrude(words: string, uid: number | undefined): Promise<Record<string, number>> {
  const { proxyUrl } = opened.at(-1) ?? { proxyUrl: '' };
  const args = ['-e', STRANGER, new URL(proxyUrl).port, origin, String(ATTEMPTS), words];
  const stranger = spawn(node, args, {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  return JSON.parse(await text(stranger.stdout)) as Record<string, number>;
}

const users = process.getuid?.() === 0 ? [undefined, 65_534] : [undefined];

describe.each(users)('another process on the machine, of user %s,', (uid) => {
  it.each([
    ['CONNECT', '407'],
    ['GET', '407'],
    ['half', 'open'],
    ['nothing', 'open'],
  ])('gets nothing through the proxy of a capture, and does not disturb it: %s', async (words, answer) => {
    held = Promise.withResolvers();
    asked = [];
    const engine = new CaptureEngine(pool, { maxBytes: 50e6, filters: noFilters });
    const capturing = engine.capture(
      parseOptions({ url: `http://${origin}/`, wait_until: 'networkidle' }),
      new AbortController().signal,
    );
    capturing.catch(() => undefined);
    const response = await held.promise;
    const answers = await intrude(words, uid);
    // The oldest of too many connections are closed.
    expect(Object.keys(answers).filter((each) => each !== 'closed')).toEqual([answer]);
    response.writeHead(404).end();
    const { facts, traffic } = await capturing;
    expect(facts).toMatchObject({
      title: 'Neighbour',
      httpStatus: 200,
      blocked: { forbidden: 0 },
      complete: true,
    });
    expect(asked).not.toContain('/stolen');
    expect(asked).toContain('/late19');
    expect(traffic.requests).toBe(asked.length);
  });
});
