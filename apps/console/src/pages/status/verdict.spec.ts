import { describe, expect, it } from '@jest/globals';
import { CaptureError } from '@capture-service/client';
import { verdictOf } from './verdict.js';

describe('the verdict on the service', () => {
  it.each(['ok', 'degraded', 'down'] as const)('is %s as the service says', (status) => {
    expect(verdictOf({ status, error: null, ageMs: 2_000 }).status).toBe(status);
  });

  it('is that it does not answer, whatever it said before', () => {
    const error = new CaptureError({ code: 'connection_failed', detail: 'refused' });
    expect(verdictOf({ status: 'ok', error, ageMs: 100 }).status).toBe('no answer');
    expect(verdictOf({ status: 'ok', error: null, ageMs: 11_000 }).status).toBe('no answer');
    expect(verdictOf({ error, ageMs: 0 }).status).toBe('no answer');
  });

  it('is down when the API answers with an error', () => {
    const error = new CaptureError({ code: 'unavailable', detail: 'no database', status: 503 });
    expect(verdictOf({ status: 'ok', error, ageMs: 100 }).status).toBe('down');
  });
});
