import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MAX_TEXT } from '@app/kernel';
import { Arena, type HostileRow, itSurvives } from '../support/arena.js';

// The pool logs every browser that dies here.
Logger.overrideLogger(false);

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open();
});
afterAll(() => arena.close());

const page = 'texts.html';
const short = new RegExp(`^.{1,${MAX_TEXT.message}}$`, 'u');

/** A page that throws into a script of the request, in each of the two ways in which one runs. */
function throwing(how: string, detail: RegExp): HostileRow[] {
  const row = { page, ends: ['script_failed'], detail } as const;
  return [
    { ...row, title: `throws (${how}) in js`, options: { js: `speak('${how}')` } },
    {
      ...row,
      title: `throws (${how}) in wait_for_function`,
      options: { wait_for_function: `speak('${how}')` },
    },
  ];
}

// It is slow because of the size of its pages: most of a minute of CPU time.
describe('a page with excessive texts', () => {
  itSurvives(
    () => arena,
    [
      ...throwing('error', /^(js|wait_for_function): Error: x+…$/),
      ...throwing('text', /^(js|wait_for_function): x+…$/),
      ...throwing('name', /^(js|wait_for_function): x+…$/),
      ...throwing('stack', /^(js|wait_for_function): Error: no$/),
      ...throwing('odd', /^(js|wait_for_function): Error: a b\ufffdc$/),
      ...throwing('throwing', /^(js|wait_for_function): an object whose message cannot be read$/),
      ...throwing('unprintable', /^(js|wait_for_function): an object without a message$/),
      ...throwing('proxy', /^(js|wait_for_function): x+…$/),
      ...throwing('symbol', /^(js|wait_for_function): a symbol$/),
      ...throwing('tampered', /^(js|wait_for_function): Error: x+…$/),
      {
        title: 'throws an object whose message never ends',
        page,
        options: { js: `speak('looping')`, timeout_ms: 3_000 },
        ends: ['capture_timeout'],
      },
      {
        title: 'returns 60 MB to js',
        page,
        options: { js: 'return long(60)' },
        ends: ['file'],
      },
      {
        title: 'returns 60 MB to wait_for_function',
        page,
        options: { wait_for_function: 'long(60)' },
        ends: ['file'],
      },
      {
        title: 'has a title of 10 MB',
        page: `${page}?how=long-title`,
        ends: ['file'],
        facts: { title: expect.stringMatching(/^x{1023}…$/) },
      },
      {
        title: 'has a title of NUL, half a character and an escape',
        page: `${page}?how=odd-title`,
        ends: ['file'],
        facts: { title: expect.stringMatching(/^a.?b\ufffdc.?\[31m😀$/u) },
      },
      {
        title: 'changes its URL to one of 1.9 MB',
        page: `${page}?how=long-url`,
        ends: ['file'],
        facts: { finalUrl: expect.stringMatching(/^http:.*\?x+…$/) },
      },
      {
        title: 'changes its URL 5 times to one of 1.9 MB',
        page: `${page}?how=long-urls`,
        ends: ['file'],
        facts: { finalUrl: expect.stringMatching(/^http:.*\?4x+…$/) },
      },
      {
        title: 'navigates to a host name of 1.9 MB',
        page: `${page}?how=long-host`,
        options: { delay_ms: 300 },
        ends: ['file', 'target_dns_error', 'target_connection_failed'],
      },
    ],
  );

  it('is quoted in one sentence at most', async () => {
    const { detail } = await arena.visit(page, { js: `speak('tampered')` });
    expect(detail).toMatch(short);
    const { facts } = await arena.visit(`${page}?how=long-url`);
    expect(facts?.finalUrl).toHaveLength(MAX_TEXT.url);
    await arena.expectClean();
  });
});
