import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Capturing } from '../../../../test/support/capturing.js';

let capturing: Capturing;
beforeAll(async () => {
  capturing = await Capturing.open();
});
afterAll(() => capturing.close());

describe('fail_on_status', () => {
  it.each([404, 500, 503])('is off by default: the page of a %d is captured', async (status) => {
    const { facts } = await capturing.capture(`/status/${status}`);
    expect(facts).toMatchObject({ httpStatus: status, title: `Status ${status}` });
  });

  it.each([['404'], ['4xx'], ['400-499'], ['500', '404']])('fails on what it lists: %s', async (...rules) => {
    const { code, message, facts } = await capturing.failure('/status/404', { fail_on_status: rules });
    expect([code, message, facts.phase]).toEqual(['target_http_error', 'The target answered 404.', 'settle']);
  });

  it.each<[string, number | undefined]>([
    ['120', 120],
    ['999999', 86_400],
    ['soon', undefined],
  ])('says what a target asks for with Retry-After: %s', async (header, seconds) => {
    const { facts } = await capturing.failure(`/status/503?retry-after=${header}`, {
      fail_on_status: ['503'],
    });
    expect(facts.targetRetryAfterS).toBe(seconds);
  });

  it('lets pass what it does not list', async () => {
    const { facts } = await capturing.capture('/status/404', { fail_on_status: ['5xx', '400-403'] });
    expect(facts.httpStatus).toBe(404);
  });

  it('comes before the waits of a page that never loads', async () => {
    const options = { fail_on_status: ['200'], wait_for_selector: '#none' };
    expect((await capturing.failure('/late.html', options)).code).toBe('target_http_error');
  });
});

describe('fail_if_text', () => {
  it.each(['was denied', 'ACCESS to THIS page was denied', 'LOUD WORDS'])('fails on %s', async (text) => {
    const error = await capturing.failure('/text.html', { fail_if_text: text });
    expect([error.code, error.message]).toEqual([
      'condition_failed',
      'The text of fail_if_text is on the page.',
    ]);
  });

  it.each(['was granted', 'Secret words'])('lets %s pass: nobody sees it', async (text) => {
    expect((await capturing.capture('/text.html', { fail_if_text: text })).facts.complete).toBe(true);
  });
});

describe('fail_if_text_missing', () => {
  it.each(['was granted', 'Secret words'])('fails without %s', async (text) => {
    const error = await capturing.failure('/text.html', { fail_if_text_missing: text });
    expect([error.code, error.message]).toEqual([
      'condition_failed',
      'The text of fail_if_text_missing is not on the page.',
    ]);
  });

  it('lets a page with the text pass', async () => {
    const { facts } = await capturing.capture('/text.html', { fail_if_text_missing: 'page was denied' });
    expect(facts.complete).toBe(true);
  });

  it('sees what came with a wait', async () => {
    const options = { fail_if_text_missing: 'late', wait_for_selector: '#late' };
    expect((await capturing.capture('/late.html', options)).facts.complete).toBe(true);
  });
});
