import { describe, expect, it } from '@jest/globals';
import { Turns, type Dispatched } from './turns.js';

/** `a1` is a job of account `a` in the queue, `A1` one that runs. */
const jobsOf = (text: string): Dispatched[] =>
  text.split(' ').map((id) => ({
    id,
    accountId: id.slice(0, 1).toLowerCase(),
    status: id === id.toLowerCase() ? 'queued' : 'running',
    source: 'batch',
    attempt: 0,
  }));

const overtaken = (turns: Turns, inFlight: string): string[] =>
  turns.listOvertaken(jobsOf(inFlight)).map(({ job, turn }) => `${job.id}:${turn}`);

const tell = (turns: Turns, ...told: string[]): void => {
  for (const each of told) {
    const [id = '', turn] = each.split(':');
    turns.tell({ job: { id, source: 'batch', attempt: 0 }, turn: Number(turn) });
  }
};

describe(Turns.name, () => {
  it('finds the next job of an account that has less running than when it was dispatched', () => {
    const turns = new Turns();
    tell(turns, 'a3:3', 'a4:4', 'b1:1');
    expect(overtaken(turns, 'A2 a3 a4 b1')).toEqual(['a3:2']);
  });

  it('says nothing twice', () => {
    const turns = new Turns();
    tell(turns, 'a3:3', 'b1:1');
    expect(overtaken(turns, 'A2 a3 b1')).toEqual(['a3:2']);
    tell(turns, 'a3:2');
    expect(overtaken(turns, 'A2 a3 b1')).toEqual([]);
  });

  it('leaves one account alone, which has nobody to take turns with', () => {
    expect(overtaken(new Turns(), 'A2 a3 a4')).toEqual([]);
  });

  it('tells again what another process may have told', () => {
    expect(overtaken(new Turns(), 'A2 a3 B1 b2')).toEqual(['a3:2', 'b2:2']);
  });

  it('forgets what is no longer in flight', () => {
    const turns = new Turns();
    tell(turns, 'a3:2', 'b1:1');
    expect(overtaken(turns, 'A2 b1')).toEqual([]);
    expect(overtaken(turns, 'A2 a3 b1')).toEqual(['a3:2']);
  });
});
