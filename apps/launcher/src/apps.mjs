import { spawn } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { root } from './data-folder.mjs';
import { inColour, relay, report, say, StartError } from './output.mjs';
import { end, pause, tied } from './processes.mjs';
import { SOURCE_MAPS } from './runtime.mjs';

/** @import { Variables } from './addresses.mjs' */

/** The pause before an application that ended by itself is started again; it doubles each time. */
const MIN_RESTART_PAUSE_MS = 500;
const MAX_RESTART_PAUSE_MS = 30_000;
/** An application that ran this long worked: its next pause is short again. */
const STABLE_AFTER_MS = 60_000;

/** `settingMs`: a server that the operator has set and that is down this long is not about to answer. */
const READINESS_TIMEOUTS = { readyMs: 60_000, settingMs: 15_000 };
const PROBE_EVERY_MS = 40;
const PROBE_TIMEOUT_MS = 5_000;
/** A readiness probe answers with some hundred bytes. */
const MAX_ANSWER_CHARS = 10_000;

/** @typedef {'api' | 'worker'} AppName */
/** @typedef {ReturnType<typeof startApp>} App */

/**
 * Starts the bundle of an application and prints its output behind its name. `onStart` gets the pid of each of its
 * processes.
 *
 * @param {AppName} name
 * @param {Variables} env
 * @param {(pid: number) => void} [onStart]
 */
export function startApp(name, env, onStart = () => {}) {
  const stopping = new AbortController();
  const launch = () => {
    const started = spawnApp(name, env);
    if (started.child.pid !== undefined) onStart(started.child.pid);
    return started;
  };
  let app = launch();

  /** Starts the application again whenever it ends by itself: a page that ends a worker must not end the service. */
  async function keepRunning() {
    for (let pauseMs = MIN_RESTART_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_RESTART_PAUSE_MS)) {
      const startedAt = performance.now();
      const reason = await app.ended;
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > STABLE_AFTER_MS) pauseMs = MIN_RESTART_PAUSE_MS;
      report(`${name} ended unexpectedly (${reason}); it starts again in ${pauseMs / 1_000} s`);
      await pause(pauseMs, stopping.signal);
      if (stopping.signal.aborted) return;
      app = launch();
      say(`${name} starts again`);
    }
  }

  return {
    name,
    keepRunning,
    /** Resolves to the reason once the current process ends. */
    ended: () => app.ended,
    /**
     * @param {number} graceMs
     * @param {AbortSignal} hurry
     */
    stop(graceMs, hurry) {
      stopping.abort();
      return end(app.child, { signal: 'SIGTERM', graceMs, hurry });
    },
  };
}

/**
 * @param {AppName} name
 * @param {Variables} env
 */
function spawnApp(name, env) {
  const entry = path.join(root, 'dist/bundles', `${name}.js`);
  const { command, args } = tied(process.execPath, [...SOURCE_MAPS, entry]);
  const child = spawn(command, args, {
    cwd: root,
    // A group of its own: Ctrl-C in the terminal reaches the launcher alone, which ends its processes in order.
    detached: true,
    env: { ...(inColour && { FORCE_COLOR: '1' }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  relay(name, child);
  /** @type {Promise<string>} */
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  return { child, ended };
}

/**
 * Resolves once the probe answers 200.
 *
 * @param {Pick<App, 'name' | 'ended'>} app
 * @param {string} probe
 * @param {{ env?: Variables, readyMs?: number, settingMs?: number }} [options]
 * @throws StartError when the application ends before, takes too long, or cannot use a server that a variable names
 */
export async function untilReady(app, probe, { env = {}, ...timeouts } = {}) {
  const { readyMs, settingMs } = { ...READINESS_TIMEOUTS, ...timeouts };
  const begun = performance.now();
  /** @type {string | undefined} */
  let endReason;
  void app.ended().then((reason) => (endReason = reason));
  for (;;) {
    const { isReady, down, text } = await readProbe(probe);
    // An answer after its end is that of another program on its port.
    if (endReason !== undefined) throw new StartError(`${app.name} ended (${endReason})`);
    if (isReady) return;
    const elapsedMs = performance.now() - begun;
    const variable = down.map((check) => variableOf(check, env)).find((name) => name !== undefined);
    if (variable !== undefined && elapsedMs > settingMs)
      throw new StartError(`${app.name} cannot use the server of ${variable}: ${text}`);
    if (elapsedMs > readyMs)
      throw new StartError(`${app.name} is not ready after ${readyMs / 1_000} s (${probe}): ${text}`);
    await pause(PROBE_EVERY_MS);
  }
}

/** The variables by which an operator chooses the server of a check. */
const CHOICES = new Map([
  ['queue', 'REDIS_URL'],
  ['storage', 'S3_BUCKET'],
]);

/**
 * The variable that set the server of a check; undefined when the launcher started that server.
 *
 * @param {string} check
 * @param {Variables} env
 */
function variableOf(check, env) {
  const variable = CHOICES.get(check);
  return variable !== undefined && env[variable] ? variable : undefined;
}

/**
 * Reads a readiness probe. It uses node:http, because `fetch` refuses the ports that browsers refuse.
 *
 * @param {string} probe
 * @returns {Promise<{ isReady: boolean, down: string[], text: string }>}
 */
function readProbe(probe) {
  return new Promise((resolve) => {
    /** @param {Error} error */
    const failed = (error) => resolve({ isReady: false, down: [], text: error.message });
    const request = http.get(probe, { agent: false, timeout: PROBE_TIMEOUT_MS }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('error', failed);
      response.on('data', (part) => (body = (body + part).slice(0, MAX_ANSWER_CHARS)));
      response.on('end', () => {
        const { statusCode } = response;
        const down = failedChecks(body);
        const text = [`it answers ${statusCode}`, ...down.map((check) => `${check} is down`)].join(', ');
        resolve({ isReady: statusCode === 200, down, text });
      });
    });
    request.on('timeout', () => request.destroy(new Error(`no answer in ${PROBE_TIMEOUT_MS / 1_000} s`)));
    request.on('error', failed);
  });
}

/**
 * The names of the checks that failed, from the answer of the API or of the worker.
 *
 * @param {string} body
 * @returns {string[]}
 */
function failedChecks(body) {
  try {
    const { checks = {}, error = {} } = JSON.parse(body);
    return [...Object.keys(checks).filter((name) => checks[name] === 'down'), ...Object.keys(error)];
  } catch {
    return [];
  }
}
