import { report, say } from './output.mjs';
import { pause, whenOrphaned } from './processes.mjs';

/** Ctrl-C reaches us twice, from the terminal and from npm, which passes it on. */
const SAME_WISH_MS = 1_000;

/**
 * Ends what was started, last first, once: on a signal, when the process that runs us is gone, or when `stop` is called.
 * A second signal aborts `hurry`, for what may be cut short. After `limitMs` the process exits whatever still runs.
 */
export function createShutdown({ limitMs }) {
  const closers = [];
  const hurry = new AbortController();
  let askedAt;
  let ended;

  async function closeAll() {
    // Set-up that was under way may still add something while the rest is being closed.
    for (let closer = closers.pop(); closer; closer = closers.pop()) await attempt(closer);
  }

  function stop(code) {
    const limit = pause(limitMs).then(() => report(`not everything ended within ${limitMs / 1_000} s`));
    ended ??= Promise.race([closeAll(), limit]).then(() => process.exit(code));
    return ended;
  }

  function asked(reason) {
    if (askedAt === undefined) say(`stopping (${reason})`);
    else if (Date.now() - askedAt > SAME_WISH_MS) hurry.abort();
    askedAt ??= Date.now();
    void stop(0);
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => asked(signal));
  process.on('uncaughtException', (error) => {
    report(error);
    void stop(1);
  });
  whenOrphaned(() => asked('npm is gone'));
  return {
    add: (closer) => closers.push(closer),
    stop,
    isStopping: () => ended !== undefined,
    hurry: hurry.signal,
  };
}

async function attempt(close) {
  try {
    await close();
  } catch (error) {
    report(error);
  }
}
