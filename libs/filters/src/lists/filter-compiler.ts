import { Worker } from 'node:worker_threads';
import { Injectable } from '@nestjs/common';
import { withTimeout } from '@app/kernel';
import type { CompiledLists, ListText } from '../rules/compile-filters.js';

/** Twenty times what the lists that come with the service take. */
const TIMEOUT_MS = 60_000;
/** The lists that come with the service take 300 MB. */
const MAX_HEAP_MB = 1_024;

/** Compiles lists in a thread, so that captures go on meanwhile, and a list that takes too much harms nothing. */
@Injectable()
export class FilterCompiler {
  protected readonly thread = new URL('./compile-thread.js', import.meta.url);

  /** @throws Error when it takes too long or too much memory */
  async compile(lists: readonly ListText[]): Promise<CompiledLists> {
    const worker = new Worker(this.thread, {
      workerData: lists,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    const compiled = new Promise<CompiledLists>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
      worker.once('exit', (code) => {
        reject(new Error(`The compiling thread ended with ${code}.`));
      });
    });
    try {
      return await withTimeout(compiled, TIMEOUT_MS, 'compiling the filter lists');
    } finally {
      await worker.terminate();
    }
  }
}
