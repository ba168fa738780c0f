import { describe, expect, it } from '@jest/globals';
import { noFacts } from '../../../../libs/capture/src/facts.js';
import { loadEnv } from '@app/config';
import type { AttemptedJob } from '@app/jobs';
import { newId } from '@app/kernel';
import { FileNotFoundError, MemoryStorage } from '@app/storage';
import { CaptureFilesService } from './capture-files.service.js';

describe(CaptureFilesService.name, () => {
  const storage = new MemoryStorage();
  const files = new CaptureFilesService(storage, loadEnv({ RESULT_TTL_S: '3600', RECORD_TTL_S: '86400' }));

  const aJob = (more: Partial<AttemptedJob> = {}): AttemptedJob => ({
    id: newId(),
    attempt: 1,
    format: 'jpeg',
    resultKey: null,
    otherExtensions: null,
    ...more,
  });
  const captured = [
    { name: 'result', format: 'jpeg', bytes: Buffer.from('a picture'), facts: noFacts() },
  ] as const;
  /** Returns the attempts of the job whose files exist. */
  const stored = async ({ id }: AttemptedJob): Promise<number[]> => {
    const found: number[] = [];
    for (const attempt of [1, 2, 3]) {
      await storage.read(`captures/${id}/${attempt}.jpg`).then(
        () => found.push(attempt),
        (error: unknown) => {
          expect(error).toBeInstanceOf(FileNotFoundError);
        },
      );
    }
    return found;
  };
  const storedThrice = async (): Promise<AttemptedJob> => {
    const job = aJob({ attempt: 3 });
    for (const attempt of [1, 2, 3]) await files.store({ ...job, attempt }, captured);
    return job;
  };

  it('stores each attempt under a key of its own, and describes the file', async () => {
    const job = aJob({ attempt: 2 });
    expect(await files.store(job, captured)).toEqual([
      {
        ...captured[0],
        key: `captures/${job.id}/2.jpg`,
        contentType: 'image/jpeg',
        bytes: 9,
        sha256: '92b2fa58028958317e408bd84ecfa70f5ee35b121991dbc232c49d166353708b',
      },
    ]);
    expect(await stored(job)).toEqual([2]);
  });

  it('deletes the file of a single attempt', async () => {
    const job = await storedThrice();
    await files.drop({ ...job, attempt: 2 });
    expect(await stored(job)).toEqual([1, 3]);
  });

  it('deletes every file except the one that the row names', async () => {
    const job = await storedThrice();
    await files.dropUnnamed({ ...job, resultKey: `captures/${job.id}/2.jpg` });
    expect(await stored(job)).toEqual([2]);
  });

  it('deletes every file of a job whose row names none', async () => {
    const job = await storedThrice();
    await files.dropUnnamed(job);
    expect(await stored(job)).toEqual([]);
  });

  it('deletes every file, including the one that the row names', async () => {
    const job = await storedThrice();
    await files.dropAll({ ...job, resultKey: `captures/${job.id}/2.jpg` });
    expect(await stored(job)).toEqual([]);
  });

  it.each([
    ['as long as requested', 60, 60],
    ['no longer than its record', 31_536_000, 86_400],
    ['as long as the operator configured when the caller requested nothing', undefined, 3_600],
  ])('keeps a file %s', (_, requested, kept) => {
    expect(files.ttlS(requested)).toBe(kept);
  });
});
