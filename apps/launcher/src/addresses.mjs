import net from 'node:net';
import { say, StartError } from './output.mjs';

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
const SERVER_NAMES = [...APPS, ...METRICS];

/** So many services beside each other are no accident of another program's port. */
const MAX_NEXT = 100;

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
 * Gives each server of the service a port on which it can listen. One that a variable sets must be free; where none does,
 * the next free one from the default is taken and said, so that a second service starts beside the first.
 *
 * @param {Variables} env
 * @param {Variables} said The ports of an earlier call: one that stays the same is not said again.
 * @returns the variables of the ports that this chose
 * @throws StartError that names the variable of a port that is taken
 */
export async function settlePorts(env, said = {}) {
  /** @type {(server: Server) => boolean} */
  const isSet = (server) => Boolean(env[addressOf(server, env).variable]);
  const [set, others] = [SERVER_NAMES.filter(isSet), SERVER_NAMES.filter((server) => !isSet(server))];
  const addresses = set.map((server) => addressOf(server, env)).filter(({ port }) => port !== 0);
  for (const address of addresses) await requireFree(address);
  const taken = new Set(addresses.map(({ port }) => port));
  /** @type {Variables} */
  const chosen = {};
  for (const server of others) {
    const { variable, port, host } = addressOf(server, env);
    const free = await freePortFrom(port, host, taken);
    taken.add(free);
    chosen[variable] = String(free);
    if (free !== port && said[variable] !== chosen[variable])
      say(`port ${port} of the ${server} is taken; it uses ${free} (${variable} sets another)`);
  }
  Object.assign(env, chosen);
  return chosen;
}

/**
 * The default port, or the first one above all default ports, that is free and that no other server of the service gets.
 *
 * @param {number} port
 * @param {string} host
 * @param {ReadonlySet<number>} taken
 */
async function freePortFrom(port, host, taken) {
  const above = Math.max(...Object.values(SERVERS).map((server) => server.port)) + 1;
  for (const next of [port, ...Array.from({ length: MAX_NEXT }, (_, i) => above + i)])
    if (!taken.has(next) && (await isFree(next, host))) return next;
  return freePort();
}

/** @param {ReturnType<typeof addressOf>} address */
async function requireFree({ variable, port, host }) {
  if (await isFree(port, host)) return;
  throw new StartError(
    `Port ${port} on ${host} cannot be used: another program listens there, or this user may not.\n` +
      `Set ${variable} to a free one, for example: ${variable}=${await freePort(port + 100)} npm start`,
  );
}
