import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CaptureError, type CaptureClient } from '@capture-service/client';
import { makeFolders } from '../files/file-writer.js';
import type { OutageRetry } from './outage-retry.js';
import type { RowFile } from './row-files.js';
import type { WorkFolder } from './work-folder.js';

interface DownloadSettings {
  readonly client: CaptureClient;
  readonly folder: Pick<WorkFolder<unknown>, 'pathOf'>;
  readonly outageRetry: OutageRetry;
  readonly signal: AbortSignal;
}

/** Downloads the files of rows into the folder. A file that is there already is not downloaded again. */
export class RowDownloads {
  /** The files that are being downloaded. */
  readonly current = new Set<string>();

  constructor(private readonly settings: DownloadSettings) {}

  /**
   * @param captureId of the row
   * @throws CaptureError when the service has the file no more, or when it cannot be written
   */
  async save(captureId: string, files: readonly RowFile[]): Promise<void> {
    for (const file of files) await this.saveOne(captureId, file);
  }

  private async saveOne(captureId: string, file: RowFile): Promise<void> {
    const target = this.settings.folder.pathOf(file.path);
    this.current.add(file.path);
    try {
      if (await isThere(target, file)) return;
      if (file.path.includes('/')) await createFolder(path.dirname(target));
      await this.download(captureId, file, target);
    } finally {
      this.current.delete(file.path);
    }
  }

  private async download(captureId: string, { output, bytes }: RowFile, target: string): Promise<void> {
    const { client, outageRetry, signal } = this.settings;
    await outageRetry.run(async () => {
      const { size } = await client.captures.fileToPath(captureId, target, { name: output, signal });
      if (size === bytes) return;
      const detail = `${target} has ${size} bytes instead of ${bytes}.`;
      throw new CaptureError({ code: 'invalid_response', detail, retryable: true });
    });
  }
}

/** @throws CaptureError `save_failed`, as the client does for files */
async function createFolder(folder: string): Promise<void> {
  try {
    await makeFolders(folder);
  } catch (cause) {
    const detail = `${folder} could not be created: ${(cause as Error).message}`;
    throw new CaptureError({ code: 'save_failed', detail, cause });
  }
}

/** Whether the path holds exactly this file. */
async function isThere(target: string, { bytes, sha256 }: RowFile): Promise<boolean> {
  const found = await stat(target).catch(() => undefined);
  if (found?.size !== bytes || !found.isFile()) return false;
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(target), hash);
  } catch {
    return false;
  }
  return hash.digest('hex') === sha256;
}
