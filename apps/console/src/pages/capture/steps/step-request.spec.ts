import { describe, expect, it } from '@jest/globals';
import { stepRequest } from './step-request.js';

const URL = 'https://example.com/';
const steps = [{ type: 'back' }, { type: 'reload' }, { type: 'click', selector: '#a' }];

describe('the capture up to a step', () => {
  it('has the steps up to it, and nothing that waits for, cuts or judges the last page', () => {
    const values = {
      url: 'example.com/',
      actions: steps,
      secrets: { password: 'hunter2' },
      viewport_width: 400,
      full_page: true,
      wait_for_selector: '#later',
      timeout_ms: 20_000,
      format: 'pdf',
      outputs: [{ name: 'a' }],
      cache_ttl_s: 60,
      fail_if_text: 'x',
    };
    expect(stepRequest({ target: 'url', values }, 'actions', 1)).toEqual({
      url: 'https://example.com/',
      actions: steps.slice(0, 2),
      secrets: { password: 'hunter2' },
      viewport_width: 400,
      timeout_ms: 20_000,
      on_failure_picture: true,
    });
  });

  it('has the steps of a recording, and not those of actions beside it', () => {
    const values = { url: URL, actions: steps, recording: { title: 'A', steps } };
    expect(stepRequest({ target: 'url', values }, 'recording', 0)).toEqual({
      url: URL,
      recording: { title: 'A', steps: steps.slice(0, 1) },
      on_failure_picture: true,
    });
  });
});
