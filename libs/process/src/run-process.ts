import type { INestApplication } from '@nestjs/common';
import { type Env, InvalidEnvironmentError, loadEnv } from '@app/config';

/** Beyond the grace that captures get: closing connections and browsers. Then the process ends itself. */
const CLOSING_MS = 15_000;

/**
 * Runs one of our processes from its environment to its end. A fault at the start is one line on stderr and exit
 * code 1. The first SIGTERM or SIGINT closes the application in order, the second ends the process at once; so does
 * a close that hangs, for a connection that is gone can keep a graceful close waiting for ever.
 */
export async function runProcess(start: (env: Env) => Promise<INestApplication>): Promise<void> {
  try {
    const env = loadEnv();
    const app = await start(env);
    closeOnSignal(app, env.SHUTDOWN_GRACE_MS + CLOSING_MS);
  } catch (error) {
    const text = error instanceof InvalidEnvironmentError ? error.message : describe(error);
    process.stderr.write(`${text}\n`);
    process.exit(1);
  }
}

function closeOnSignal(app: INestApplication, deadlineMs: number): void {
  let closing = false;
  const close = (): void => {
    if (closing) process.exit(1);
    closing = true;
    setTimeout(() => process.exit(1), deadlineMs).unref();
    app.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${describe(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', close).on('SIGINT', close);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
