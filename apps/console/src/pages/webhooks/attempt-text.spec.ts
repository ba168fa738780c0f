import { describe, expect, it } from '@jest/globals';
import { attemptText, prettyBody, timestampOf } from './attempt-text.js';

const at = '2026-11-21T05:20:06.900Z';

describe('an attempt of a delivery', () => {
  it.each([
    [{ at, status: 204, error: null, duration_ms: 41 }, '204 after 41 ms'],
    [{ at, status: 500, error: 'HTTP 500', duration_ms: 2_400 }, '500 after 2.4 s: HTTP 500'],
    [{ at, status: null, error: 'timeout', duration_ms: 15_000 }, 'no response after 15 s: timeout'],
  ])('says how the endpoint responded', (attempt, text) => {
    expect(attemptText(attempt)).toBe(text);
  });

  it('has its time in seconds', () => {
    expect(timestampOf({ at })).toBe('1795238406');
  });

  it('shows JSON on several lines, and what is none unchanged', () => {
    expect(prettyBody('{"a":["</script>"]}')).toBe('{\n  "a": [\n    "</script>"\n  ]\n}');
    expect(prettyBody('{"a":')).toBe('{"a":');
  });
});
