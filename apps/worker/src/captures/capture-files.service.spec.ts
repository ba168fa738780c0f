import { describe, expect, it, jest } from '@jest/globals';
import { loadEnv } from '@app/config';
import type { AttemptedJob } from '@app/jobs';
import { AppError, newId } from '@app/kernel';
import { FileNotFoundError, MemoryStorage } from '@app/storage';
import { CaptureFilesService } from './capture-files.service.js';

const FACTS = {
  width: 1280,
  height: 800,
  offsetY: null,
  pages: null,
  pageHeight: 800,
  truncated: false,
  content: null,
  stable: null,
};

describe(CaptureFilesService.name, () => {
  const storage = new MemoryStorage();
  const files = new CaptureFilesService(storage, loadEnv({ RESULT_TTL_S: '3600', RECORD_TTL_S: '86400' }));

  const aJob = (more: Partial<AttemptedJob> = {}): AttemptedJob => ({
    id: newId(),
    attempt: 1,
    format: 'jpeg',
    resultKey: null,
    otherExtensions: null,
    originId: null,
    ...more,
  });
  const captured = [
    { name: 'result', format: 'jpeg', bytes: Buffer.from('a picture'), facts: FACTS },
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

  it.each([
    ['that made them: it owns those of its earlier attempts', (id: string) => id, [3]],
    ['that shows those of another one: it owns those of all its attempts', () => newId(), []],
  ])('never deletes files that others may show, of a job %s', async (_, origin, left) => {
    for (const drop of ['dropAll', 'dropUnnamed'] as const) {
      const own = await storedThrice();
      const originId = origin(own.id);
      const shown = `captures/${originId}/3.jpg`;
      await storage.put(shown, Buffer.from('shown'));
      await files[drop]({ ...own, originId, resultKey: shown });
      expect(await stored(own)).toEqual(left);
      expect(await stored(aJob({ id: originId }))).toEqual([3]);
    }
  });

  it('stores each attempt under a key of its own, and describes the file', async () => {
    const job = aJob({ attempt: 2 });
    expect(await files.store(job, captured)).toEqual([
      {
        name: 'result',
        format: 'jpeg',
        ...FACTS,
        key: `captures/${job.id}/2.jpg`,
        contentType: 'image/jpeg',
        bytes: 9,
        sha256: '92b2fa58028958317e408bd84ecfa70f5ee35b121991dbc232c49d166353708b',
      },
    ]);
    expect(await stored(job)).toEqual([2]);
  });

  describe('of several outputs', () => {
    const job = aJob({ format: 'png', otherExtensions: ['pdf', 'txt', 'jpg', 'png', 'png'] });
    const formats = ['png', 'pdf', 'text', 'jpeg', 'png', 'png'] as const;
    const [first, ...others] = formats.map((format, i) => {
      return { name: `o${i}`, format, bytes: Buffer.from(`file ${i}`), facts: FACTS };
    });
    const several = [first as NonNullable<typeof first>, ...others] as const;
    const keys = ['1.png', '1n2.pdf', '1n3.txt', '1n4.jpg', '1n5.png', '1n6.png'].map(
      (name) => `captures/${job.id}/${name}`,
    );

    /** A store that fails to store some keys, and may fail to delete. */
    class FailingStorage extends MemoryStorage {
      readonly stored: string[] = [];
      readonly deleted: string[] = [];
      constructor(
        private readonly refused: readonly string[],
        private readonly deletes = true,
      ) {
        super();
      }
      override async put(key: string, bytes: Uint8Array): Promise<void> {
        if (this.refused.includes(key)) throw new AppError('storage_unavailable');
        await super.put(key, bytes);
        this.stored.push(key);
      }
      override async delete(key: string): Promise<void> {
        if (!this.deletes) throw new AppError('storage_unavailable');
        await super.delete(key);
        this.deleted.push(key);
      }
      /** The keys of the files that exist. */
      left(): string[] {
        return this.stored.filter((key) => !this.deleted.includes(key));
      }
    }
    const serviceOn = (store: MemoryStorage): CaptureFilesService =>
      new CaptureFilesService(store, loadEnv({}));

    it('stores each under a key of its own, in the order of the outputs', async () => {
      const store = new FailingStorage([]);
      const stored = await serviceOn(store).store(job, several);
      expect(stored.map(({ key, name, bytes }) => [key, name, bytes])).toEqual(
        keys.map((key, i) => [key, `o${i}`, 6]),
      );
      expect(store.left().sort()).toEqual([...keys].sort());
    });

    it.each([0, 1, 3, 5])('leaves none when file %i cannot be stored', async (i) => {
      const store = new FailingStorage([keys[i] ?? '']);
      const error = await serviceOn(store)
        .store(job, several)
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'storage_unavailable' });
      expect(store.left()).toEqual([]);
    });

    it('fails with the error of the file when the others cannot be deleted either', async () => {
      const store = new FailingStorage([keys[1] ?? ''], false);
      await expect(serviceOn(store).store(job, several)).rejects.toMatchObject({
        code: 'storage_unavailable',
      });
    });

    it('fails after five seconds when the store does not answer the deletion of the others', async () => {
      class MuteStorage extends FailingStorage {
        override delete(): Promise<void> {
          return new Promise(() => undefined);
        }
      }
      jest.useFakeTimers();
      try {
        let failed: unknown;
        void serviceOn(new MuteStorage([keys[1] ?? '']))
          .store(job, several)
          .catch((error: unknown) => (failed = error));
        await jest.advanceTimersByTimeAsync(4_999);
        expect(failed).toBeUndefined();
        await jest.advanceTimersByTimeAsync(1);
        expect(failed).toMatchObject({ code: 'storage_unavailable' });
      } finally {
        jest.useRealTimers();
      }
    });

    it('stores four at a time', async () => {
      let [running, most] = [0, 0];
      class CountingStorage extends FailingStorage {
        override async put(key: string, bytes: Uint8Array): Promise<void> {
          running += 1;
          most = Math.max(most, running);
          await super.put(key, bytes);
          running -= 1;
        }
      }
      await serviceOn(new CountingStorage([])).store(job, several);
      expect(most).toBe(4);
    });

    it('deletes those of the attempt, of the other attempts, and of all', async () => {
      const store = new FailingStorage([]);
      const service = serviceOn(store);
      for (const attempt of [1, 2, 3]) await service.store({ ...job, attempt }, several);
      const [row, ours] = [{ ...job, attempt: 3 }, `captures/${job.id}/3.png`];
      await service.drop({ ...job, attempt: 1 });
      expect(store.left()).toHaveLength(12);
      await service.dropUnnamed({ ...row, resultKey: ours });
      expect(store.left().every((key) => key.startsWith(`captures/${job.id}/3`))).toBe(true);
      expect(store.left()).toHaveLength(6);
      await service.dropAll({ ...row, resultKey: ours });
      expect(store.left()).toEqual([]);
    });

    it('deletes the others when one cannot be deleted, and fails', async () => {
      const stuck = keys[2] ?? '';
      class StuckStorage extends FailingStorage {
        override delete(key: string): Promise<void> {
          return key === stuck ? Promise.reject(new AppError('storage_unavailable')) : super.delete(key);
        }
      }
      const store = new StuckStorage([]);
      await serviceOn(store).store(job, several);
      await expect(serviceOn(store).drop(job)).rejects.toMatchObject({ code: 'storage_unavailable' });
      expect(store.left()).toEqual([stuck]);
    });
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
    ['as long as requested', { expires_in_s: 60 }, 60],
    ['no longer than its record', { expires_in_s: 31_536_000 }, 86_400],
    ['as long as the operator configured when the caller requested nothing', {}, 3_600],
    ['as long as the cache answers with it', { expires_in_s: 60, cache_ttl_s: 500, stale_ttl_s: 100 }, 600],
  ])('keeps a file %s', (_, requested, kept) => {
    expect(files.ttlS({ cache_ttl_s: 0, stale_ttl_s: 0, ...requested })).toBe(kept);
  });
});
