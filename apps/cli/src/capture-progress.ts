import type { CaptureClient } from '@capture-service/client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CliContext } from './cli-context.js';
import { stateOf } from './record-text.js';
import { withProgress, type Progress } from './terminal/progress.js';

/** A capture that takes less time is not looked up. */
const LOOK_EVERY_MS = 1_500;
/** Captures that the account may have started meanwhile. */
const RECENT = 10;

interface Watched {
  readonly client: CaptureClient;
  /** As it was requested; undefined for HTML. */
  readonly url: string | undefined;
  /** How the line begins. */
  readonly text: string;
}

/**
 * Runs a capture, which the service answers at its end, and shows meanwhile whether it waits in the queue: the history has
 * the newest capture of this page.
 */
export function watched<T>(context: CliContext, watch: Watched, capture: () => Promise<T>): Promise<T> {
  return withProgress(context, watch.text, async (progress) => {
    const done = new AbortController();
    const signal = AbortSignal.any([context.signal, done.signal]);
    if (context.showsProgress) void follow(watch, progress, signal).catch(() => undefined);
    try {
      return await capture();
    } finally {
      done.abort();
    }
  });
}

/** Ends by an error: that of the signal, or of a look-up, which is worth no line of its own. */
async function follow(
  { client, url, text }: Watched,
  progress: Progress,
  signal: AbortSignal,
): Promise<never> {
  const call = { signal, retries: 0 };
  const wanted = url === undefined ? undefined : URL.parse(url)?.href;
  for (;;) {
    await sleep(LOOK_EVERY_MS, undefined, { signal });
    const { items } = await client.captures.page({ source: 'sync', limit: RECENT }, call);
    const own = items.find(
      (record) =>
        isOpen(record.status) && (record.url === null ? undefined : URL.parse(record.url)?.href) === wanted,
    );
    if (own) progress.update(`${text}: ${stateOf(await client.jobs.get(own.id, call))}`);
  }
}

const isOpen = (status: string): boolean => status === 'queued' || status === 'running';
