import { describe, expect, it } from '@jest/globals';
import type { HTTPRequest } from 'puppeteer';
import type { RequestVerdict } from './family.js';
import { strongest } from './interceptor.js';

const request = {} as HTTPRequest;
const judges = (...verdicts: RequestVerdict[]) => verdicts.map((verdict) => () => verdict);
const headers = (map: Record<string, string>) => ({ headers: map });

describe(strongest.name, () => {
  it.each<[RequestVerdict[], RequestVerdict]>([
    [[], 'pass'],
    [['pass', 'pass'], 'pass'],
    [['pass', 'abort'], 'abort'],
    [[headers({ a: '1' }), 'abort'], 'abort'],
    [['abort', headers({ a: '1' })], 'abort'],
    [['pass', headers({ a: '1' })], headers({ a: '1' })],
    [[headers({ a: '1', b: '1' }), headers({ a: '2' })], headers({ a: '2', b: '1' })],
  ])('of %j is %j', async (verdicts, verdict) => {
    await expect(strongest(judges(...verdicts), request)).resolves.toEqual(verdict);
  });

  it('never aborts the document of the page', async () => {
    const verdicts = judges('abort', headers({ a: '1' }));
    await expect(strongest(verdicts, request, true)).resolves.toEqual(headers({ a: '1' }));
  });
});
