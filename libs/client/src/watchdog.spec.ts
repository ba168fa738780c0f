import { describe, expect, it } from '@jest/globals';
import { Watchdog } from './watchdog.js';

const URL = 'http://127.0.0.1:3000/v1/captures/1';

/** A response as browsers give it for a status without a body: its body is an empty stream, and not null. */
function emptyInBrowser(status: number): Response {
  const body = new ReadableStream({ start: (controller) => controller.close() });
  return Object.defineProperty(new Response(null, { status }), 'body', { value: body });
}

describe('the watchdog of a response', () => {
  it.each([204, 205, 304])('leaves a response of status %d alone, whatever its body is', (status) => {
    for (const response of [emptyInBrowser(status), new Response(null, { status })])
      expect(new Watchdog(60_000, undefined, URL).guard(response)).toBe(response);
  });

  it('gives the body of another response', async () => {
    const guarded = new Watchdog(60_000, undefined, URL).guard(new Response('text'));
    expect(await guarded.text()).toBe('text');
  });
});
