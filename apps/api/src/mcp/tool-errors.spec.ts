import { describe, expect, it } from '@jest/globals';
import { CaptureError } from '@capture-service/client';
import { AppError, ERROR_CODES, ERRORS } from '@app/kernel';
import { failureText } from './tool-errors.js';

describe(failureText, () => {
  const textOf = (code: (typeof ERROR_CODES)[number], retryAfterMs?: number): string => {
    const { detail, retryable } = new AppError(code).toBody();
    return failureText(new CaptureError({ code, detail, retryable, retryAfterMs, requestId: 'r-1' }));
  };

  it.each(ERROR_CODES)('says what %s is, and what to do', (code) => {
    const text = textOf(code);
    expect(text).toContain(`${ERRORS[code].title} (${code}).`);
    expect(text).toMatch(/^What to do: \S.{20,}$/m);
    expect(text).toContain('For a report: request r-1.');
  });

  it('says whether the same call may succeed later, and when', () => {
    expect(textOf('overloaded', 2_500)).toContain('The same call may succeed later. Wait 3 seconds first.');
    expect(textOf('script_failed', 2_500)).toContain('The same call fails again');
    expect(textOf('script_failed', 2_500)).not.toContain('Wait');
  });

  it('lists faults that the detail does not tell', () => {
    const errors = [
      { pointer: '/a', code: 'x', detail: 'must be a' },
      { pointer: '/b', code: 'x', detail: 'must be b' },
    ];
    const failure = { code: 'invalid_request' as const, retryable: false, errors };
    expect(failureText({ ...failure, detail: '2 fields are invalid.' })).toContain(
      '\n- /a: must be a\n- /b: must be b\n',
    );
    expect(failureText({ ...failure, detail: 'a must be a; b must be b' })).not.toContain('- /a');
  });
});
