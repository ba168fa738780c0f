import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { withoutFile } from '@app/capture';
import { AppError } from '@app/kernel';
import { CachedJobs, PAGE } from '../../../../test/support/cached-jobs.js';
import { SUCCESS } from '../../../../test/support/jobs.js';
import { AttemptsService, filesOf, JobDeletionService, JobsService, type StoredFile } from '../index.js';
import { JobDeletionModule } from '../history/job-deletion.module.js';

const NO_FACTS = {
  width: null,
  height: null,
  offsetY: null,
  pages: null,
  pageHeight: null,
  truncated: false,
  content: null,
};
const PICTURE: StoredFile = {
  name: 'desktop',
  format: 'png',
  key: 'captures/x/1.png',
  contentType: 'image/png',
  bytes: 5,
  sha256: 'ab',
  ...NO_FACTS,
  width: 1_280,
  height: 800,
  pageHeight: 2_000,
  truncated: true,
};
const PRINT: StoredFile = {
  name: 'print',
  format: 'pdf',
  key: 'captures/x/1n2.pdf',
  contentType: 'application/pdf',
  bytes: 7,
  sha256: 'cd',
  ...NO_FACTS,
  pages: 3,
};
const OUTPUTS = {
  url: 'https://example.com/',
  outputs: [{ name: 'desktop' }, { name: 'print', format: 'pdf' }],
};
const MAKES_BOTH = { ...SUCCESS, files: [PICTURE, PRINT] } as const;

describe('the files of a capture', () => {
  let jobs: CachedJobs;

  beforeAll(async () => {
    jobs = await CachedJobs.open({ imports: [JobDeletionModule] });
  });

  afterAll(() => jobs.close());

  beforeEach(() => jobs.useAccount());

  const attempts = (): AttemptsService => jobs.app.get(AttemptsService);
  const running = async (options: object = OUTPUTS) => {
    const { job } = await jobs.submit(options);
    await jobs.dispatch();
    return jobs.claim(job.id);
  };
  const captured = async (options?: object): Promise<string> => {
    const job = await running(options);
    expect(await attempts().succeed(job, MAKES_BOTH)).toBe(true);
    return job.id;
  };
  const read = async (id: string) => filesOf(await jobs.app.get(JobsService).find(jobs.accountId, id));
  const rowsOf = async (id: string): Promise<object[]> => {
    const { rows } = await jobs.database.query<object>(`SELECT * FROM capture_files WHERE capture_id = $1`, [
      id,
    ]);
    return rows;
  };

  it('are rows, in the order of its outputs, with every column that a file has', async () => {
    const id = await captured();
    expect(await read(id)).toEqual([PICTURE, PRINT]);
    const [first = {}] = await rowsOf(id);
    expect(Object.keys(first)).toHaveLength(2 + Object.keys(PICTURE).length);
  });

  it('keep everything but their keys when they have expired', async () => {
    const id = await captured();
    await jobs.database.query(`UPDATE jobs SET result_key = NULL WHERE id = $1`, [id]);
    expect(await read(id)).toEqual([
      { ...PICTURE, key: null },
      { ...PRINT, key: null },
    ]);
  });

  it('are none of an attempt that has lost its job', async () => {
    const job = await running();
    expect(await attempts().succeed({ id: job.id, attempt: 2 }, MAKES_BOTH)).toBe(false);
    expect(await rowsOf(job.id)).toEqual([]);
  });

  it('are the picture of its failure, if it failed', async () => {
    const job = await running();
    const file = { ...PICTURE, name: 'failure' };
    const known = {
      facts: withoutFile(SUCCESS.facts),
      timings: SUCCESS.timings,
      picture: { file, ttlS: 60 },
    };
    expect(await attempts().fail(job, new AppError('capture_timeout'), known)).toBe('failed');
    expect(await read(job.id)).toEqual([file]);
  });

  it('are copied for a job that the cache answers', async () => {
    const id = await captured({ ...OUTPUTS, cache_ttl_s: PAGE.cache_ttl_s });
    const { job } = await jobs.submit({ ...OUTPUTS, cache_ttl_s: PAGE.cache_ttl_s });
    expect(job.originId).toBe(id);
    expect(filesOf(job)).toEqual([PICTURE, PRINT]);
  });

  it('lose their rows with the capture, and with its record', async () => {
    const [deleted, expired] = [await captured(), await captured()];
    await jobs.app
      .get(JobDeletionService)
      .delete({ accountId: jobs.accountId, id: deleted, withRecord: false });
    await jobs.database.query(`DELETE FROM jobs WHERE id = $1`, [expired]);
    expect([await rowsOf(deleted), await rowsOf(expired)]).toEqual([[], []]);
    expect(await read(deleted)).toEqual([]);
  });

  describe('and version 0.2.0', () => {
    const COLUMNS = 'result_key, content_type, bytes, sha256, other_files, total_bytes';

    it('are written where it reads them', async () => {
      const { rows } = await jobs.database.query(`SELECT ${COLUMNS} FROM jobs WHERE id = $1`, [
        await captured(),
      ]);
      const { key: result_key, contentType: content_type, bytes, sha256 } = PICTURE;
      expect(rows).toEqual([
        { result_key, content_type, bytes, sha256, other_files: [PRINT], total_bytes: bytes + PRINT.bytes },
      ]);
    });

    it('are read where it writes them', async () => {
      const { id } = await running();
      const { key, contentType, bytes, sha256, width, height, pageHeight, truncated } = PICTURE;
      await jobs.database.query(
        `UPDATE jobs SET status = 'succeeded', result_key = $2, content_type = $3, bytes = $4, sha256 = $5, width = $6, height = $7,
                page_height = $8, truncated = $9, other_files = $10 WHERE id = $1`,
        [id, key, contentType, bytes, sha256, width, height, pageHeight, truncated, JSON.stringify([PRINT])],
      );
      expect(await read(id)).toEqual([PICTURE, PRINT]);
    });

    it('are read where it writes the picture of a failure', async () => {
      const { id } = await running();
      await jobs.database.query(
        `UPDATE jobs SET status = 'failed', result_key = 'k', content_type = 'image/png', bytes = 5, sha256 = 'ab', page_height = 9
          WHERE id = $1`,
        [id],
      );
      const file = {
        name: 'failure',
        format: 'png',
        key: 'k',
        contentType: 'image/png',
        bytes: 5,
        sha256: 'ab',
      };
      expect(await read(id)).toEqual([{ ...NO_FACTS, ...file }]);
    });
  });
});
