import { buffer } from 'node:stream/consumers';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { JobSignalsService } from '@app/jobs';
import { Storage } from '@app/storage';
import { LRUCache } from 'lru-cache';

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Small files that were sent a short time ago, in memory. A key always stands for the same bytes, so that nothing here is ever
 * out of date. Requests for the same file at a time are one read of the store: behind a slow store they do not pile up. What a
 * caller deletes does not stay here.
 */
@Injectable()
export class RecentFilesService implements OnModuleInit {
  private readonly files = new LRUCache<string, Buffer>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ byteLength }) => Math.max(1, byteLength),
    // A file that is evicted while it is read still answers.
    ignoreFetchAbort: true,
    fetchMethod: async (key) => buffer(await this.storage.read(key)),
  });

  constructor(
    private readonly storage: Storage,
    private readonly signals: JobSignalsService,
  ) {}

  onModuleInit(): void {
    this.signals.on('forgotten', (captureId) => {
      for (const key of [...this.files.keys()]) if (key.includes(`/${captureId}/`)) this.files.delete(key);
    });
  }

  /** Returns null for a file that is too large to be kept. Rejects as `Storage.read` does. */
  async read({ key, bytes }: { readonly key: string; readonly bytes: number }): Promise<Buffer | null> {
    if (bytes > MAX_FILE_BYTES) return null;
    const file = await this.files.fetch(key);
    // A store that returns less than it was given has lost the file.
    return file?.byteLength === bytes ? file : null;
  }
}
