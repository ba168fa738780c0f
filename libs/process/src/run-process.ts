import { constants } from 'node:os';
import type { INestApplication } from '@nestjs/common';
import { type Env, loadEnv } from '@app/config';
import { StartupError, withTimeout } from '@app/kernel';
import { startTracing, type ServiceName, type StopTracing } from '@app/tracing';
import { collectGarbageLess } from './garbage-collection.js';

/** Time to close connections and browsers after the grace period of captures; then the process ends itself. */
const CLOSING_MS = 15_000;

/** Time to kill child processes and remove temporary files at a forced end. */
const ABANDONING_MS = 3_000;

export interface ProcessHooks {
  /** How traces name the process. */
  readonly service: ServiceName;
  readonly start: (env: Env) => Promise<INestApplication>;
  /** Kills and removes what would otherwise outlive a process that is ended by force. */
  readonly abandon?: (app: INestApplication) => Promise<void>;
}

/**
 * Runs a process from reading its environment to its end. A StartupError is printed to stderr as one message, with exit
 * code 1. The first SIGTERM or SIGINT closes the application gracefully. The second ends the process at once, with 128 +
 * the number of the signal, as shells do. A close that hangs ends it with 1: a lost connection can block a graceful close
 * without end.
 */
export async function runProcess({ service, start, abandon }: ProcessHooks): Promise<void> {
  try {
    const env = loadEnv();
    const stopTracing = await startTracing(env, service);
    const app = await start(env);
    collectGarbageLess();
    const end = async (code: number): Promise<never> => {
      if (abandon) await withTimeout(abandon(app), ABANDONING_MS, 'the forced end').catch(() => undefined);
      process.exit(code);
    };
    const closing = { close: () => closeAll(app, stopTracing), end };
    closeOnSignal(closing, env.SHUTDOWN_DELAY_MS + env.SHUTDOWN_GRACE_MS + CLOSING_MS);
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exit(1);
  }
}

/** The last spans end with the application. */
async function closeAll(app: INestApplication, stopTracing: StopTracing): Promise<void> {
  await app.close();
  await stopTracing();
}

interface Closing {
  readonly close: () => Promise<void>;
  readonly end: (code: number) => Promise<never>;
}

function closeOnSignal({ close: closeGracefully, end }: Closing, deadlineMs: number): void {
  let closing = false;
  const close = (signal: NodeJS.Signals): void => {
    if (closing) return void end(128 + constants.signals[signal]);
    closing = true;
    setTimeout(() => void end(1), deadlineMs).unref();
    closeGracefully().then(
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
