import { spawn } from 'node:child_process';
import path from 'node:path';
import { inColour, relay, report, say } from './output.mjs';
import { root } from './paths.mjs';
import { end, pause, tied } from './processes.mjs';

/** Before an application that ended by itself is started again; it doubles each time. */
const MIN_RESTART_PAUSE_MS = 500;
const MAX_RESTART_PAUSE_MS = 30_000;
/** One that ran this long was a good one: the pauses begin small again. */
const STABLE_AFTER_MS = 60_000;

/** Starts one of the built applications, its output behind its name. `onStart` gets the pid of each of its processes. */
export function startApp(name, env, onStart = () => {}) {
  const stopping = new AbortController();
  const launch = () => {
    const started = spawnApp(name, env);
    onStart(started.pid);
    return started;
  };
  let app = launch();

  /** Starts the application again whenever it ends by itself: a page that ends a worker must not end the service. */
  async function keepRunning() {
    for (let pauseMs = MIN_RESTART_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_RESTART_PAUSE_MS)) {
      const startedAt = performance.now();
      const why = await app.ended;
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > STABLE_AFTER_MS) pauseMs = MIN_RESTART_PAUSE_MS;
      report(`${name} ended unexpectedly (${why}); it starts again in ${pauseMs / 1_000} s`);
      await pause(pauseMs, stopping.signal);
      if (stopping.signal.aborted) return;
      app = launch();
      say(`${name} starts again`);
    }
  }

  return {
    name,
    keepRunning,
    /** Resolves with the reason when the process that runs now ends. */
    ended: () => app.ended,
    stop(graceMs, hurry) {
      stopping.abort();
      return end(app.child, { signal: 'SIGTERM', graceMs, hurry });
    },
  };
}

function spawnApp(name, env) {
  const entry = path.join(root, 'dist/apps', name, 'src/main.js');
  const { command, args } = tied(process.execPath, ['--enable-source-maps', entry]);
  const child = spawn(command, args, {
    cwd: root,
    // A group of its own: Ctrl-C in the terminal reaches the launcher alone, which ends things in order.
    detached: true,
    env: { ...(inColour && { FORCE_COLOR: '1' }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  relay(name, child);
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  return { child, pid: child.pid, ended };
}
