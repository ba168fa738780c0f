import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Accepted } from '@app/jobs';
import { RequestCoalescer } from './request-coalescer.js';

describe(RequestCoalescer.name, () => {
  let coalescer: RequestCoalescer;
  let submitted: number;
  let endJob: () => void;
  let ended: Promise<void>;

  beforeEach(() => {
    coalescer = new RequestCoalescer();
    submitted = 0;
    ended = new Promise((resolve) => (endJob = resolve));
  });

  const submit = (name: string, followedId?: string): Promise<Accepted> =>
    coalescer.submit(name, {
      submit: () => Promise.resolve({ job: { id: `job ${++submitted}` }, use: null } as Accepted),
      end: () => ended,
      followedId,
    });
  const idOf = ({ job, use }: Accepted) => [job.id, use?.status ?? 'own'];

  it('submits the same capture once, and has the other requests follow its job', async () => {
    const accepted = await Promise.all([submit('a'), submit('a'), submit('b')]);
    expect(accepted.map(idOf)).toEqual([
      ['job 1', 'own'],
      ['job 1', 'coalesced'],
      ['job 2', 'own'],
    ]);
    expect(idOf(await submit('a'))).toEqual(['job 1', 'coalesced']);
  });

  it('submits it again once the job has ended', async () => {
    await submit('a');
    endJob();
    await ended;
    await new Promise(setImmediate);
    expect(idOf(await submit('a'))).toEqual(['job 2', 'own']);
  });

  it('submits it again for a request that has followed the job before', async () => {
    await submit('a');
    const again = await Promise.all([submit('a', 'job 1'), submit('a', 'job 1')]);
    expect(again.map(idOf)).toEqual([
      ['job 2', 'own'],
      ['job 2', 'coalesced'],
    ]);
  });

  it('shares a failure with the requests that waited for it, and submits the next one', async () => {
    const fail = () =>
      coalescer.submit('a', { submit: () => Promise.reject(new Error('down')), end: () => ended });
    const failed = await Promise.allSettled([fail(), submit('a')]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await new Promise(setImmediate);
    expect(idOf(await submit('a'))).toEqual(['job 1', 'own']);
  });
});
