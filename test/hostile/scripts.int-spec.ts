import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { extractText, getDocumentProxy } from 'unpdf';
import { Arena, itSurvives } from '../support/arena.js';

// The pool logs every browser that dies here.
Logger.overrideLogger(false);

let arena: Arena;
beforeAll(async () => {
  arena = await Arena.open();
});
afterAll(() => arena.close());

/** The time of pages that keep a core busy until it is over. */
const BUSY_MS = 2_000;
const FILE = ['file'] as const;
const LATE = ['capture_timeout'] as const;
const FILE_OR_LATE = [...FILE, ...LATE];

describe('a page with hostile scripts', () => {
  itSurvives(
    () => arena,
    [
      {
        title: 'P1 opens dialogs at load, in a frame and in a popup',
        page: 'dialogs.html',
        ends: FILE,
        facts: { title: 'Dialogs' },
      },
      {
        title: 'P1 opens 30,000 dialogs',
        page: 'dialogs.html?times=10000',
        options: { timeout_ms: BUSY_MS },
        ends: FILE_OR_LATE,
      },
      {
        title: 'P2 has a beforeunload dialog',
        page: 'beforeunload.html',
        ends: FILE,
        facts: { title: 'Stay' },
      },
      {
        title: 'P3 blocks its main thread while it loads',
        page: 'loop.html',
        options: { timeout_ms: BUSY_MS },
        ends: LATE,
      },
      {
        title: 'P3 blocks its main thread while it loads, with on_timeout capture',
        page: 'loop.html',
        options: { timeout_ms: BUSY_MS, on_timeout: 'capture' },
        ends: LATE,
      },
      {
        title: 'P4 blocks its main thread some time after its load',
        page: 'loop.html?after=600',
        options: { timeout_ms: BUSY_MS, delay_ms: 590 },
        ends: FILE_OR_LATE,
      },
      {
        title: 'P4 blocks its main thread from its load on',
        page: 'loop.html?after=0',
        options: { timeout_ms: BUSY_MS, full_page: true },
        ends: LATE,
      },
      {
        title: 'P8 navigates to itself by meta refresh',
        page: 'bounce.html?by=meta',
        options: { timeout_ms: BUSY_MS },
        ends: FILE_OR_LATE,
      },
      {
        title: 'P8 navigates to itself by script',
        page: 'bounce.html?by=script',
        options: { timeout_ms: BUSY_MS },
        ends: FILE_OR_LATE,
      },
      {
        title: 'P8 replaces itself at load',
        page: 'bounce.html?by=replace',
        options: { timeout_ms: BUSY_MS },
        ends: FILE_OR_LATE,
      },
      {
        title: 'P8 changes its hash a thousand times a second',
        page: 'bounce.html?by=hash',
        options: { timeout_ms: BUSY_MS },
        ends: FILE_OR_LATE,
      },
      {
        title: 'P14 opens windows endlessly',
        page: 'windows.html',
        ends: FILE,
        facts: { title: 'Windows' },
      },
      {
        title: 'P20 navigates to files and to pages of the browser',
        page: 'escapes.html',
        ends: FILE,
        facts: { title: 'Escapes', httpStatus: 200 },
      },
      {
        title: 'P22 requests permissions and prints endlessly',
        page: 'prompts.html',
        ends: FILE,
        facts: { title: 'Prompts' },
      },
      {
        title: 'P22 requests permissions and prints endlessly, as a PDF',
        page: 'prompts.html',
        options: { format: 'pdf' },
        ends: FILE,
        facts: { title: 'Prompts' },
      },
      {
        title: 'P20 navigates to invalid URLs',
        page: '/to-no-address',
        ends: ['file', 'target_connection_failed'],
      },
      {
        title: 'P23 plays sound and draws as much as it can',
        page: 'heavy.html',
        ends: FILE,
        facts: { title: 'Heavy' },
      },
      {
        title: 'P23 plays a video that never loads',
        page: '/video',
        options: { timeout_ms: 4_000, on_timeout: 'capture' },
        ends: FILE,
        facts: { title: 'Video', complete: false },
      },
      {
        title: 'P12 fills the JavaScript heap, whose limit is below that of the browser',
        page: 'heap.html',
        options: { timeout_ms: 20_000 },
        ends: ['browser_crashed'],
      },
    ],
  );

  it('P20 gets no content of a file into the capture', async () => {
    const { bytes } = await arena.visit('escapes.html', { format: 'pdf', delay_ms: 300 });
    const { text } = await extractText(await getDocumentProxy(Uint8Array.from(bytes ?? [])), {
      mergePages: true,
    });
    expect(text).toContain('Nothing to see');
    expect(text).not.toMatch(/root:|\/bin\//);
    await arena.expectClean();
  });
});
