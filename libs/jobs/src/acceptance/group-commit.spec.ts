import { describe, expect, it } from '@jest/globals';
import { GroupCommit, type GroupWork } from './group-commit.js';

const MEMBERS_FAULT = new Error('the fault of a member');
const OUTAGE = new Error('the connection was cut');

/** Work that is done when the test says so. */
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

  /** Ends the group that is in flight and lets what follows of it happen. */
  async end(fault?: Error): Promise<void> {
    this.open.shift()?.end(fault);
    await new Promise(setImmediate);
  }
}

function submitAll(work: ManualWork, members: readonly string[]) {
  const commits = new GroupCommit(work);
  return { commits, all: Promise.allSettled(members.map((member) => commits.submit(member))) };
}

const told = (outcomes: readonly PromiseSettledResult<string>[]) =>
  outcomes.map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : (outcome.reason as Error).message,
  );

describe(GroupCommit.name, () => {
  it('begins at once with what comes first, and groups what comes meanwhile', async () => {
    const work = new ManualWork();
    const { all } = submitAll(work, ['a', 'b', 'c']);
    expect(work.groups).toEqual([['a']]);
    await work.end();
    expect(work.groups).toEqual([['a'], ['b', 'c']]);
    await work.end();
    expect(told(await all)).toEqual(['a done', 'b done', 'c done']);
  });

  it('begins again at once when it has been idle', async () => {
    const work = new ManualWork();
    const { commits } = submitAll(work, ['a']);
    await work.end();
    const next = commits.submit('b');
    expect(work.groups).toEqual([['a'], ['b']]);
    await work.end();
    expect(await next).toBe('b done');
  });

  it('does the members one by one when one of them has failed the group', async () => {
    const work = new ManualWork();
    const { all } = submitAll(work, ['a', 'bad', 'b']);
    await work.end();
    await work.end(MEMBERS_FAULT);
    expect(work.alone).toEqual(['bad', 'b']);
    expect(told(await all)).toEqual(['a done', MEMBERS_FAULT.message, 'b alone']);
  });

  it('goes on with the next group while members of a failed one are done one by one', async () => {
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

  it('does nothing again when it is open what became of the group', async () => {
    const work = new ManualWork();
    const { all } = submitAll(work, ['a', 'b', 'c']);
    await work.end();
    await work.end(OUTAGE);
    expect(told(await all)).toEqual(['a done', OUTAGE.message, OUTAGE.message]);
    expect(work.alone).toEqual([]);
  });

  it('does a member that came alone again likewise: it may wait longer for a lock than a group may', async () => {
    const work = new ManualWork();
    const { all } = submitAll(work, ['a']);
    await work.end(MEMBERS_FAULT);
    expect(told(await all)).toEqual(['a alone']);
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

  it('takes no more than 4 MB into a group, but always one member', async () => {
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
