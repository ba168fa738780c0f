import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';

/**
 * Below the kernel's ephemeral ports: a connection or another server could take one of those between this check and the
 * start of the server that the port is for.
 */
const FIRST = 20_000;
const COUNT = 10_000;

const given = new Set<number>();

/** Returns a port of loopback on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + randomInt(COUNT);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = net.createServer().listen(port, '127.0.0.1');
  const listens = await once(probe, 'listening').then(
    () => true,
    () => false,
  );
  if (!listens) return false;
  probe.close();
  await once(probe, 'close');
  return true;
}
