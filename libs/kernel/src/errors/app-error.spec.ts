import { describe, expect, it } from '@jest/globals';
import { AppError } from './app-error.js';
import { ERROR_CODES, ERRORS } from './catalogue.js';

describe(AppError.name, () => {
  it('takes its status, retryability and title from the catalogue', () => {
    const error = new AppError('target_dns_error', { detail: 'Could not resolve exmaple.com' });
    expect(error.status).toBe(422);
    expect(error.toBody()).toEqual({
      type: '/docs/errors#target_dns_error',
      title: "The target's host name could not be resolved",
      code: 'target_dns_error',
      detail: 'Could not resolve exmaple.com',
      retryable: false,
    });
  });

  it('includes facts only where they apply', () => {
    const body = new AppError('capture_timeout', {
      phase: 'render',
      elapsedMs: 60_001,
      netError: 'net::ERR_X',
    }).toBody();
    expect(body).toMatchObject({ phase: 'render', elapsed_ms: 60_001, net_error: 'net::ERR_X' });
    expect(body).not.toHaveProperty('errors');
  });

  it('is restored from a record unchanged', () => {
    const error = new AppError('selector_not_found', {
      detail: 'selector "#a" matched nothing',
      phase: 'settle',
    });
    const stored = JSON.parse(JSON.stringify(error.toBody())) as ReturnType<AppError['toBody']>;
    expect(AppError.fromBody(stored).toBody()).toEqual(error.toBody());
  });

  it('limits quoted texts to 300 characters', () => {
    const long = 'x\0'.repeat(30_000_000);
    const error = new AppError('script_failed', { detail: long, netError: long });
    expect(error.message).toBe(`${'x '.repeat(149)}x…`);
    expect(JSON.stringify(error.toBody()).length).toBeLessThan(1_000);
  });

  it('keeps the message of an unexpected error from the client', () => {
    const error = AppError.from(new Error('connect ECONNREFUSED 10.0.0.5:5432'));
    expect(error.code).toBe('internal');
    expect(JSON.stringify(error.toBody())).not.toContain('10.0.0.5');
    expect(error.cause).toBeInstanceOf(Error);
  });
});

describe('the catalogue', () => {
  it.each(ERROR_CODES)(
    'gives %s a detail that says more than its title, for an error without one',
    (code) => {
      const { title, detail } = new AppError(code).toBody();
      expect(detail.replace(/\.$/, '')).not.toBe(title);
      expect(detail).not.toMatch(/…$/);
    },
  );

  it.each(ERROR_CODES)('gives %s the status of an error, a title and a text', (code) => {
    const { status, title, doc } = ERRORS[code];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(title).not.toMatch(/\.$/);
    expect(doc).toMatch(/\.$/);
  });

  it('is in the order of the statuses, in which docs/errors.md lists it', () => {
    const statuses = ERROR_CODES.map((code) => ERRORS[code].status);
    expect(statuses).toEqual(statuses.toSorted((a, b) => a - b));
  });
});
