import { Worker } from 'node:worker_threads';
import { unlessAborted, withTimeout } from './timeout.js';

/** The work of a thread, and its limits. */
export interface ThreadWork {
  /** What the thread finds as `workerData`: a copy. */
  readonly data: unknown;
  /**
   * Memory of its JavaScript; buffers do not count. V8 ends the whole process when a thread that reaches the limit needs much
   * at once: the size of `data` must bound what the thread needs to a fraction of this.
   */
  readonly maxHeapMb: number;
  readonly timeoutMs: number;
  /** Names the work in the message of a TimeoutError. */
  readonly what: string;
  readonly signal?: AbortSignal;
}

/**
 * Runs a module in a thread of its own and returns the one message that it posts. The event loop goes on meanwhile. At a limit
 * the thread is terminated, also in the midst of a loop.
 *
 * @param file the built module
 * @throws TimeoutError, the reason of the signal, or the error of the thread, such as `ERR_WORKER_OUT_OF_MEMORY`
 */
export async function runInThread<Result>(file: URL, work: ThreadWork): Promise<Result> {
  const { data, maxHeapMb, timeoutMs, what, signal } = work;
  signal?.throwIfAborted();
  const worker = new Worker(file, {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    // It needs nothing of the environment, which holds secrets.
    env: {},
  });
  const ended = new Promise<Result>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
    worker.once('exit', (code) => {
      reject(new Error(`The thread for ${what} ended with ${code}.`));
    });
  });
  try {
    const inTime = withTimeout(ended, timeoutMs, what);
    return await (signal ? unlessAborted(inTime, signal) : inTime);
  } finally {
    await worker.terminate();
  }
}
