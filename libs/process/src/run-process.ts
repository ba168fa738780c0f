import { constants } from 'node:os';
import type { INestApplication } from '@nestjs/common';
import { type Env, loadEnv } from '@app/config';
import { StartupError, withTimeout } from '@app/kernel';

/** Beyond the grace that captures get: closing connections and browsers. Then the process ends itself. */
const CLOSING_MS = 15_000;

/** For killing what would outlive the process and removing what it wrote. */
const ABANDONING_MS = 3_000;

export interface ProcessHooks {
  readonly start: (env: Env) => Promise<INestApplication>;
  /** Ends and removes what would otherwise outlive a process that does not close in order. */
  readonly abandon?: (app: INestApplication) => Promise<void>;
}

/**
 * Runs one of our processes from its environment to its end. What the operator has to correct before it can start is
 * one message on stderr and exit code 1. The first SIGTERM or SIGINT closes the application in order. The second ends
 * the process at once, with 128 + the signal's number as shells do; so does a close that hangs, with 1: a connection that
 * is gone can keep a graceful close waiting without end.
 */
export async function runProcess({ start, abandon }: ProcessHooks): Promise<void> {
  try {
    const env = loadEnv();
    const app = await start(env);
    const end = async (code: number): Promise<never> => {
      if (abandon) await withTimeout(abandon(app), ABANDONING_MS, 'abandoning').catch(() => undefined);
      process.exit(code);
    };
    closeOnSignal(app, end, env.SHUTDOWN_DELAY_MS + env.SHUTDOWN_GRACE_MS + CLOSING_MS);
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exit(1);
  }
}

function closeOnSignal(
  app: INestApplication,
  end: (code: number) => Promise<never>,
  deadlineMs: number,
): void {
  let closing = false;
  const close = (signal: NodeJS.Signals): void => {
    if (closing) return void end(128 + constants.signals[signal]);
    closing = true;
    setTimeout(() => void end(1), deadlineMs).unref();
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
