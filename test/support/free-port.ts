import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

/** A port of loopback on which nothing listens now. */
export async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
