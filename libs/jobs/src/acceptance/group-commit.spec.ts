import { describe, expect, it } from '@jest/globals';
import { GroupCommit, type GroupWork } from './group-commit.js';

const MEMBERS_FAULT = new Error('the fault of a member');
const OUTAGE = new Error('the connection was cut');

/** Work that ends when the test ends it. */
class ManualWork implements GroupWork<string, string> {
  readonly groups: string[][] = [];
  readonly alone: string[] = [];
  weight = 1;
  private readonly open: { end: (fault?: Error) => void }[] = [];

  commit(members: readonly string[]): Promise<string[]> {
    this.groups.push([...members]);
    return new Promise((resolve, reject) => {
      const end = (fault?: Error): void => {
        if (fault) reject(fault);
        else resolve(members.map((member) => `${member} done`));
      };
      this.open.push({ end });
    });
  }

  commitAlone(member: string): Promise<string> {
    this.alone.push(member);
    return member === 'bad' ? Promise.reject(MEMBERS_FAULT) : Promise.resolve(`${member} alone`);
  }

  isMembersFault(error: unknown): boolean {
    return error === MEMBERS_FAULT;
  }

  weigh(): number {
    return this.weight;
  }

  /** Ends the group in flight, and resolves when its consequences have happened. */
  async end(fault?: Error): Promise<void> {
    this.open.shift()?.end(fault);
    await new Promise(setImmediate);
  }
}

function submitAll(work: ManualWork, members: readonly string[]) {
  const commits = new GroupCommit(work);
  return { commits, all: Promise.allSettled(members.map((member) => commits.submit(member))) };
}

const resultsOf = (outcomes: readonly PromiseSettledResult<string>[]) =>
  outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as Error).message,
  );

describe(GroupCommit.name, () => {
  it('commits the first member at once, and groups those that arrive during its commit', async () => {
    const work = new ManualWork();
    const { all } = submitAll(work, ['a', 'b', 'c']);
    expect(work.groups).toEqual([['a']]);
    await work.end();
    expect(work.groups).toEqual([['a'], ['b', 'c']]);
    await work.end();
    expect(resultsOf(await all)).toEqual(['a done', 'b done', 'c done']);
  });

  it('commits at once after it has been idle', async () => {
    const work = new ManualWork();
    const { commits } = submitAll(work, ['a']);
    await work.end();
    const next = commits.submit('b');
    expect(work.groups).toEqual([['a'], ['b']]);
    await work.end();
    expect(await next).toBe('b done');
  });

  it('commits the members one by one when one of them made the group fail', async () => {
    const work = new ManualWork();
    const { all } = submitAll(work, ['a', 'bad', 'b']);
    await work.end();
    await work.end(MEMBERS_FAULT);
    expect(work.alone).toEqual(['bad', 'b']);
    expect(resultsOf(await all)).toEqual(['a done', MEMBERS_FAULT.message, 'b alone']);
  });

  it('continues with the next group while the members of a failed one are committed one by one', async () => {
    const work = new ManualWork();
    const { commits } = submitAll(work, ['a', 'b', 'c']);
    await work.end();
    work.commitAlone = () => new Promise(() => undefined);
    const next = commits.submit('d');
    await work.end(MEMBERS_FAULT);
    expect(work.groups.at(-1)).toEqual(['d']);
    await work.end();
    expect(await next).toBe('d done');
  });

  it('repeats nothing when the group may have committed', async () => {
    const work = new ManualWork();
    const { all } = submitAll(work, ['a', 'b', 'c']);
    await work.end();
    await work.end(OUTAGE);
    expect(resultsOf(await all)).toEqual(['a done', OUTAGE.message, OUTAGE.message]);
    expect(work.alone).toEqual([]);
  });

  it('repeats a member that was a group by itself, because a single member may wait longer for a lock', async () => {
    const work = new ManualWork();
    const { all } = submitAll(work, ['a']);
    await work.end(MEMBERS_FAULT);
    expect(resultsOf(await all)).toEqual(['a alone']);
  });

  it('takes at most 64 members into a group, in their order', async () => {
    const work = new ManualWork();
    const members = Array.from({ length: 100 }, (_, i) => `m${i}`);
    void submitAll(work, ['first', ...members]);
    await work.end();
    await work.end();
    expect(work.groups.map(({ length }) => length)).toEqual([1, 64, 36]);
    expect(work.groups.flat()).toEqual(['first', ...members]);
    await work.end();
  });

  it('takes at most 4 MB into a group, but always one member', async () => {
    const work = new ManualWork();
    work.weight = 2_000_000;
    void submitAll(work, ['a', 'b', 'c', 'd']);
    await work.end();
    await work.end();
    expect(work.groups).toEqual([['a'], ['b', 'c'], ['d']]);
    await work.end();
    work.weight = 5_000_000;
    void submitAll(work, ['e', 'f']);
    await work.end();
    expect(work.groups.slice(3)).toEqual([['e'], ['f']]);
    await work.end();
  });
});
