import net from 'node:net';
import { addressOf, APPS, METRICS } from './addresses.mjs';
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

/**
 * The ports of the service must be free. Those of the metrics must be, too, where somebody set them; else another one
 * will do, or a second service beside the first would need two more variables.
 *
 * @throws StartError that names the variable to set
 */
export async function settlePorts(env) {
  const wanted = [...APPS, ...METRICS.filter((server) => env[addressOf(server, env).variable])];
  for (const server of wanted) {
    const address = addressOf(server, env);
    if (address.port !== 0) await requireFree(address);
  }
  const taken = new Set(wanted.map((server) => addressOf(server, env).port));
  for (const server of METRICS.filter((each) => !wanted.includes(each))) {
    const { variable, port, host } = addressOf(server, env);
    const isOurs = !taken.has(port) && (await isFree(port, host));
    env[variable] = String(isOurs ? port : await freePort());
  }
}

/** @throws StartError that names the variable to set when the port cannot be had. */
async function requireFree({ variable, port, host }) {
  if (await isFree(port, host)) return;
  throw new StartError(
    `Port ${port} on ${host} cannot be used: another program listens there, or it is not allowed.\n` +
      `Set ${variable} to a free one, for example: ${variable}=${await freePort(port + 100)} npm start`,
  );
}
