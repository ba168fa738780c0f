import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { preferredWaitS } from './prefer.js';

const read = (value?: string): number | undefined =>
  preferredWaitS({ get: () => value } as unknown as Request);

describe(preferredWaitS.name, () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['respond-async', undefined],
    ['wait=1', 1],
    ['wait=120', 120],
    ['Wait = "30"', 30],
    ['respond-async, wait=7', 7],
    ['respond-async; x=1, wait=7', 7],
  ])('reads %j as %j', (value, seconds) => {
    expect(read(value)).toBe(seconds);
  });

  it.each(['wait=0', 'wait=121', 'wait=1000', 'wait=-1', 'wait=1.5', 'wait=x', 'wait='])(
    'refuses %s, and states the range',
    (value) => {
      expect(() => read(value)).toThrow(
        expect.objectContaining({
          code: 'invalid_request',
          message: 'The wait of Prefer must be between 1 and 120.',
        }),
      );
    },
  );
});
