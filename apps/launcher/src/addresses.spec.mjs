import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Env } from '@app/config';
import { addressOf, freePort, settlePorts, urlOf } from './addresses.mjs';

describe('the addresses of npm start', () => {
  it.each([
    ['api', 'PORT'],
    ['worker', 'WORKER_PORT'],
    ['metrics of the api', 'METRICS_PORT'],
    ['metrics of the worker', 'WORKER_METRICS_PORT'],
  ])('have the default port of libs/config (%s)', (server, variable) => {
    expect(addressOf(server, {})).toEqual({ variable, port: new Env()[variable], host: '127.0.0.1' });
  });

  it('are those of the environment', () => {
    expect(urlOf('worker', { WORKER_PORT: '4001' })).toBe('http://127.0.0.1:4001');
  });

  it('can be reached when the application listens on all addresses, or on one of IPv6', () => {
    expect(urlOf('api', { HOST: '0.0.0.0' })).toBe('http://127.0.0.1:3000');
    expect(urlOf('api', { HOST: '::' })).toBe('http://[::1]:3000');
    expect(urlOf('api', { HOST: 'fd00::1' })).toBe('http://[fd00::1]:3000');
  });
});

describe('the ports of npm start', () => {
  const servers = [];
  let env;

  beforeEach(async () => {
    env = { PORT: String(await freePort()), WORKER_PORT: String(await freePort()) };
  });

  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  const listen = async (port) => {
    const server = net.createServer().listen(Number(port), '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
  };

  it('must be free, and the error names the variable', async () => {
    await listen(env.WORKER_PORT);
    await expect(settlePorts(env)).rejects.toThrow('Set WORKER_PORT to a free one');
  });

  it('must be free for metrics that a variable sets', async () => {
    env.METRICS_PORT = String(await freePort());
    await listen(env.METRICS_PORT);
    await expect(settlePorts(env)).rejects.toThrow('Set METRICS_PORT to a free one');
  });

  it.each(['PORT', 'WORKER_PORT', 'METRICS_PORT', 'WORKER_METRICS_PORT'])(
    'are the next free ones where no variable sets them (%s)',
    async (variable) => {
      const first = {};
      await settlePorts(first);
      await listen(first[variable]);
      const second = {};
      await settlePorts(second);
      expect(Number(second[variable])).toBeGreaterThan(Number(first[variable]));
      expect(new Set(Object.values(second)).size).toBe(4);
    },
  );

  it('are said once, although they are looked at again before the applications start', async () => {
    const { WORKER_PORT } = await settlePorts({});
    await listen(WORKER_PORT);
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    try {
      const said = await settlePorts({});
      const lines = () =>
        write.mock.calls.map(([line]) => line).filter((line) => line.includes(' worker is'));
      expect(lines()).toHaveLength(1);
      await settlePorts({}, said);
      expect(lines()).toHaveLength(1);
      await listen(said.WORKER_PORT);
      await settlePorts({}, said);
      expect(lines()).toHaveLength(2);
    } finally {
      write.mockRestore();
    }
  });

  it('are none for metrics that are switched off', async () => {
    Object.assign(env, { METRICS_PORT: '0', WORKER_METRICS_PORT: '0' });
    await settlePorts(env);
    expect(env).toMatchObject({ METRICS_PORT: '0', WORKER_METRICS_PORT: '0' });
  });
});
