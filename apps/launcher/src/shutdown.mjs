import { report, say } from './output.mjs';
import { pause, whenOrphaned } from './processes.mjs';

/** Ctrl-C arrives twice, from the terminal and from npm, which passes it on. */
const DUPLICATE_WITHIN_MS = 1_000;

/** @typedef {() => unknown} Closer */
/** @typedef {ReturnType<typeof createShutdown>} Shutdown */

/**
 * Ends what was started, last first and once: on a signal, when the npm that runs the launcher has died, or when `stop`
 * is called. A second signal aborts `hurry`, for what may be cut short. After `limitMs` the process exits in any case.
 *
 * @param {{ limitMs: number }} options
 */
export function createShutdown({ limitMs }) {
  /** @type {Closer[]} */
  const closers = [];
  const hurry = new AbortController();
  /** @type {number | undefined} */
  let askedAt;
  /** @type {Promise<void> | undefined} */
  let ended;

  async function closeAll() {
    // Set-up that is still under way may add a closer while the others run.
    for (let closer = closers.pop(); closer; closer = closers.pop()) await attempt(closer);
  }

  /** @param {number} code */
  function stop(code) {
    const limit = pause(limitMs).then(() => report(`not everything ended within ${limitMs / 1_000} s`));
    ended ??= Promise.race([closeAll(), limit]).then(() => process.exit(code));
    return ended;
  }

  /** @param {string} reason */
  function ask(reason) {
    if (askedAt === undefined) say(`stopping (${reason})`);
    else if (Date.now() - askedAt > DUPLICATE_WITHIN_MS) hurry.abort();
    askedAt ??= Date.now();
    void stop(0);
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => ask(signal));
  process.on('uncaughtException', (error) => {
    report(error);
    void stop(1);
  });
  whenOrphaned(() => ask('npm has died'));
  return {
    /** @param {Closer} closer */
    add: (closer) => void closers.push(closer),
    stop,
    isStopping: () => ended !== undefined,
    hurry: hurry.signal,
  };
}

/** @param {Closer} close */
async function attempt(close) {
  try {
    await close();
  } catch (error) {
    report(error);
  }
}
