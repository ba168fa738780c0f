import { describe, expect, it } from '@jest/globals';
import type { HTTPRequest } from 'puppeteer';
import type { RequestVerdict } from './family.js';
import { merged } from './interceptor.js';

const request = {} as HTTPRequest;
const judges = (...verdicts: RequestVerdict[]) => verdicts.map((verdict) => () => verdict);
const headers = (map: Record<string, string>) => ({ headers: map });

describe(merged.name, () => {
  it.each<[RequestVerdict[], RequestVerdict]>([
    [[], 'pass'],
    [['pass', 'pass'], 'pass'],
    [['pass', headers({ a: '1' })], headers({ a: '1' })],
    [[headers({ a: '1', b: '1' }), headers({ a: '2' })], headers({ a: '2', b: '1' })],
  ])('of %j is %j', async (verdicts, verdict) => {
    await expect(merged(judges(...verdicts), request)).resolves.toEqual(verdict);
  });
});
