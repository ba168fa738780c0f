import net from 'node:net';
import { StartError } from './output.mjs';

/** Whether a server could listen there now. */
export function isFree(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

/** `wanted` when it is free, else a port that the system picks. */
export async function freePort(wanted) {
  if (wanted && (await isFree(wanted))) return wanted;
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** @throws StartError that names the variable to set when the port cannot be had. */
export async function requireFree({ variable, port, host }) {
  if (await isFree(port, host)) return;
  throw new StartError(
    `Port ${port} on ${host} cannot be used: another program listens there, or it is not allowed.\n` +
      `Set ${variable} to a free one, for example: ${variable}=${await freePort(port + 100)} npm start`,
  );
}
