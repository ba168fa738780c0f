import { spawn } from 'node:child_process';
import path from 'node:path';
import { inColour, relay } from './output.mjs';
import { root } from './paths.mjs';
import { end, pause, tied } from './processes.mjs';

const READY_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 40;

/** Starts one of the built applications, its output behind its name. */
export function startApp(name, env) {
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
  return {
    name,
    pid: child.pid,
    ended,
    stop: (graceMs, hurry) => end(child, { signal: 'SIGTERM', graceMs, hurry }),
  };
}

/** Resolves once the probe answers 200; rejects when the application ends before, or takes too long. */
export async function untilReady(app, probe) {
  const deadline = Date.now() + READY_WITHIN_MS;
  let reason;
  void app.ended.then((why) => (reason = why));
  while (!(await isReady(probe))) {
    if (reason !== undefined) throw new Error(`${app.name} ended (${reason})`);
    if (Date.now() > deadline)
      throw new Error(`${app.name} is not ready after ${READY_WITHIN_MS / 1_000} s (${probe})`);
    await pause(ASK_EVERY_MS);
  }
}

async function isReady(probe) {
  try {
    return (await fetch(probe, { signal: AbortSignal.timeout(5_000) })).ok;
  } catch {
    return false;
  }
}
