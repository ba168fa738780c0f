import { hasEnded, type CallOptions, type CaptureClient } from '@capture-service/client';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CliContext } from '../context/cli-context.js';
import { stateOf } from '../terminal/record-text.js';
import { withProgress, type Progress } from '../terminal/progress.js';

/** A capture that takes less time is not looked up. */
const LOOK_EVERY_MS = 1_500;

interface Watched {
  readonly client: CaptureClient;
  /** How the line begins. */
  readonly text: string;
}

/**
 * Runs a capture, which the service answers at its end, and shows meanwhile whether it waits in the queue: the history has it
 * under the Idempotency-Key of its request.
 *
 * @param capture sends the request with the settings that it is given
 */
export function watched<T>(
  context: CliContext,
  watch: Watched,
  capture: (call: CallOptions) => Promise<T>,
): Promise<T> {
  return withProgress(context, watch.text, async (progress) => {
    const done = new AbortController();
    const signal = AbortSignal.any([context.signal, done.signal]);
    let key: string | undefined;
    if (context.showsProgress)
      void follow(watch, { progress, signal, key: () => key }).catch(() => undefined);
    try {
      return await capture({ signal: context.signal, onIdempotencyKey: (own) => (key = own) });
    } finally {
      done.abort();
    }
  });
}

interface Following {
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** The key of the latest request; a repeated one may have another. */
  readonly key: () => string | undefined;
}

/** Ends by an error: that of the signal, or of a look-up, which is worth no line of its own. */
async function follow({ client, text }: Watched, { progress, signal, key }: Following): Promise<never> {
  const call = { signal, retries: 0 };
  for (;;) {
    await sleep(LOOK_EVERY_MS, undefined, { signal });
    const own = key();
    if (own === undefined) continue;
    const { items } = await client.captures.page({ idempotency_key: own, limit: 1 }, call);
    for (const record of items) {
      if (hasEnded(record)) continue;
      progress.update(`${text}: ${stateOf(await client.jobs.get(record.id, call))}`);
    }
  }
}
