import { once } from 'node:events';
import net from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort, settlePorts } from './ports.mjs';

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

  it('must be free, and a refusal names the variable', async () => {
    await listen(env.WORKER_PORT);
    await expect(settlePorts(env)).rejects.toThrow('Set WORKER_PORT to a free one');
  });

  it('must be free for metrics, too, where somebody chose them', async () => {
    env.METRICS_PORT = String(await freePort());
    await listen(env.METRICS_PORT);
    await expect(settlePorts(env)).rejects.toThrow('Set METRICS_PORT to a free one');
  });

  it('make way for metrics that nobody chose', async () => {
    const first = { ...env };
    await settlePorts(first);
    await listen(first.METRICS_PORT);
    await settlePorts(env);
    expect(env.METRICS_PORT).not.toBe(first.METRICS_PORT);
    expect(new Set(Object.values(env)).size).toBe(4);
  });

  it('stay none for metrics that nobody wants', async () => {
    Object.assign(env, { METRICS_PORT: '0', WORKER_METRICS_PORT: '0' });
    await settlePorts(env);
    expect(env).toMatchObject({ METRICS_PORT: '0', WORKER_METRICS_PORT: '0' });
  });
});
