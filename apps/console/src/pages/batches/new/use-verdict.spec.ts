import { describe, expect, it } from '@jest/globals';
import type { BatchVerdict } from '@capture-service/client';
import { verdictFor } from './use-verdict.js';

const verdict = (rejected: number, needed: number): BatchVerdict => ({
  dry_run: true,
  would_accept: false,
  total: 5,
  valid: 5 - rejected,
  rejected,
  allowance: { needed, available: 4 },
  errors: [],
  errors_omitted: 0,
});

describe('what the API would do with a batch', () => {
  it.each([
    ['reject', 0, 4, true],
    ['reject', 1, 4, false],
    ['skip', 1, 4, true],
    ['skip', 1, 5, false],
    ['reject', 0, 5, false],
  ] as const)(
    '%s with %d rows that are not valid and %d units: %s',
    (onInvalid, rejected, needed, accepted) => {
      expect(verdictFor(onInvalid, verdict(rejected, needed)).would_accept).toBe(accepted);
    },
  );
});
