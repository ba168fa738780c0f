import { Injectable } from '@nestjs/common';
import { runInThread } from '@app/kernel';
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
  compile(lists: readonly ListText[]): Promise<CompiledLists> {
    return runInThread<CompiledLists>(this.thread, {
      data: lists,
      maxHeapMb: MAX_HEAP_MB,
      timeoutMs: TIMEOUT_MS,
      what: 'compiling the filter lists',
    });
  }
}
