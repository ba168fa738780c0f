import type { INestApplication } from '@nestjs/common';
import { type Env, loadEnv } from '@app/config';
import { StartupError } from '@app/kernel';

/** Beyond the grace that captures get: closing connections and browsers. Then the process ends itself. */
const CLOSING_MS = 15_000;

/**
 * Runs one of our processes from its environment to its end. What the operator has to mend at the start is
 * one message on stderr and exit code 1. The first SIGTERM or SIGINT closes the application in order, the second ends the process at once; so does
 * a close that hangs, for a connection that is gone can keep a graceful close waiting for ever.
 */
export async function runProcess(start: (env: Env) => Promise<INestApplication>): Promise<void> {
  try {
    const env = loadEnv();
    const app = await start(env);
    closeOnSignal(app, env.SHUTDOWN_DELAY_MS + env.SHUTDOWN_GRACE_MS + CLOSING_MS);
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
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
  if (error instanceof StartupError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
