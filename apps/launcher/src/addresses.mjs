import net from 'node:net';
import { StartError } from './output.mjs';

/** The servers of the service with the variables of their addresses; the default ports are those of libs/config. */
const SERVERS = {
  api: { variable: 'PORT', hostVariable: 'HOST', port: 3000 },
  worker: { variable: 'WORKER_PORT', hostVariable: 'WORKER_HOST', port: 3001 },
  'metrics of the api': { variable: 'METRICS_PORT', hostVariable: 'METRICS_HOST', port: 3002 },
  'metrics of the worker': { variable: 'WORKER_METRICS_PORT', hostVariable: 'METRICS_HOST', port: 3003 },
};

/** @typedef {keyof typeof SERVERS} Server */
/** @typedef {Record<string, string | undefined>} Variables */

export const APPS = /** @type {const} */ (['api', 'worker']);
export const METRICS = /** @type {const} */ (['metrics of the api', 'metrics of the worker']);

/**
 * @param {Server} server
 * @param {Variables} env
 */
export function addressOf(server, env) {
  const { variable, hostVariable, port } = SERVERS[server];
  return { variable, port: Number(env[variable] || port), host: env[hostVariable] || '127.0.0.1' };
}

/** The address at which this machine reaches a server that listens on all addresses. */
const REACHABLE = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/**
 * The URL at which this machine reaches the server.
 *
 * @param {Server} server
 * @param {Variables} env
 */
export function urlOf(server, env) {
  const { port, host } = addressOf(server, env);
  const reachable = REACHABLE.get(host) ?? host;
  return `http://${net.isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`;
}

/**
 * Whether a server could listen there now.
 *
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function isFree(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

/**
 * Resolves to `preferred` when it is free, else to a port that the system picks.
 *
 * @param {number} [preferred]
 * @returns {Promise<number>}
 */
export async function freePort(preferred) {
  if (preferred && (await isFree(preferred))) return preferred;
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {net.AddressInfo} */ (probe.address());
      probe.close(() => resolve(port));
    });
  });
}

/**
 * Checks that the ports of the service are free, and those of the metrics where a variable sets them. Where none does, it
 * sets the variables to free ports, so that a second service beside the first needs two variables less.
 *
 * @param {Variables} env
 * @throws StartError that names the variable of a port that is taken
 */
export async function settlePorts(env) {
  const chosen = [...APPS, ...METRICS.filter((server) => env[addressOf(server, env).variable])];
  for (const server of chosen) {
    const address = addressOf(server, env);
    if (address.port !== 0) await requireFree(address);
  }
  const taken = new Set(chosen.map((server) => addressOf(server, env).port));
  for (const server of METRICS.filter((each) => !chosen.includes(each))) {
    const { variable, port, host } = addressOf(server, env);
    const isDefaultFree = !taken.has(port) && (await isFree(port, host));
    env[variable] = String(isDefaultFree ? port : await freePort());
  }
}

/** @param {ReturnType<typeof addressOf>} address */
async function requireFree({ variable, port, host }) {
  if (await isFree(port, host)) return;
  throw new StartError(
    `Port ${port} on ${host} cannot be used: another program listens there, or this user may not.\n` +
      `Set ${variable} to a free one, for example: ${variable}=${await freePort(port + 100)} npm start`,
  );
}
