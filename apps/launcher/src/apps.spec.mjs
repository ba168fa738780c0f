import http from 'node:http';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isFree } from './addresses.mjs';
import { untilReady } from './apps.mjs';

/** https://fetch.spec.whatwg.org/#port-blocking: browsers and `fetch` refuse them, listening there is allowed. */
const REFUSED_PORTS = [6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080];

describe('the readiness of an application', () => {
  let server;

  afterEach(() => server?.close());

  /** A server on this port whose probe gives these answers one after the other; the last one is repeated. */
  const probeOf = async (port, ...answers) => {
    server = http.createServer((_, response) => {
      const { status, body } = answers.length > 1 ? answers.shift() : answers[0];
      response.writeHead(status).end(JSON.stringify(body));
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${server.address().port}/readyz`;
  };
  const running = { name: 'api', ended: () => new Promise(() => {}) };
  const OK = { status: 200, body: { status: 'ok', checks: {} } };
  const DOWN = { status: 503, body: { status: 'down', checks: { database: 'down', serving: 'ok' } } };

  it('is read on a port that fetch refuses, such as 6000', async () => {
    const candidates = await Promise.all(
      REFUSED_PORTS.map(async (port) => ((await isFree(port)) ? port : 0)),
    );
    const probe = await probeOf(
      candidates.find((port) => port !== 0),
      DOWN,
      OK,
    );
    await expect(fetch(probe)).rejects.toMatchObject({ cause: { message: 'bad port' } });
    await untilReady(running, probe);
  });

  it('names the variable of a server that stays down, and the reason', async () => {
    const body = { status: 'error', error: { queue: { status: 'down' } } };
    const probe = await probeOf(0, { status: 503, body });
    const waiting = untilReady(running, probe, { env: { REDIS_URL: 'redis://127.0.0.1:1' }, settingMs: 50 });
    await expect(waiting).rejects.toMatchObject({
      name: 'StartError',
      message: 'api cannot use the server of REDIS_URL: it answers 503, queue is down',
    });
  });

  it('ends in the last answer when it takes too long', async () => {
    const waiting = untilReady(running, await probeOf(0, DOWN), { readyMs: 50 });
    await expect(waiting).rejects.toThrow(/^api is not ready .*: it answers 503, database is down$/);
  });

  it('is not that of another program that answers on the port of an application that has ended', async () => {
    const ended = { name: 'worker', ended: () => Promise.resolve('exit code 1') };
    await expect(untilReady(ended, await probeOf(0, OK))).rejects.toThrow('worker ended (exit code 1)');
  });

  it('ends in one line when the application has ended', async () => {
    const probe = await probeOf(0, DOWN);
    const ended = { name: 'worker', ended: () => Promise.resolve('exit code 1') };
    await expect(untilReady(ended, probe)).rejects.toMatchObject({
      name: 'StartError',
      message: 'worker ended (exit code 1)',
    });
  });
});
