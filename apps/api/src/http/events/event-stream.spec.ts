import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'express';
import { EventStream } from './event-stream.js';

/** A response of which the test is the caller. */
class FakeResponse extends PassThrough {
  readonly sent: Record<string, string> = {};
  statusCode = 0;

  status(code: number): this {
    this.statusCode = code;
    return this;
  }

  set(headers: Record<string, string>): this {
    Object.assign(this.sent, headers);
    return this;
  }

  flushHeaders(): void {
    // Nothing is held back here.
  }
}

function open(highWaterMark = 16_384) {
  const response = new FakeResponse({ highWaterMark });
  const stream = new EventStream(response as unknown as Response);
  return { response, stream, text: () => String(response.read() ?? '') };
}

describe(EventStream.name, () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
  });

  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('says what it is, and that nobody may hold it back', () => {
    const { response, stream } = open();
    expect(response.sent).toEqual({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'X-Accel-Buffering': 'no',
    });
    stream.end();
  });

  it('sends an event on lines of its own', () => {
    const { stream, text } = open();
    stream.send({ name: 'job', id: 'queued.0.1', data: { title: 'two\nlines' } });
    expect(text()).toBe('event: job\nid: queued.0.1\ndata: {"title":"two\\nlines"}\n\n');
    stream.end();
  });

  it('shows every 15 seconds that it is alive', () => {
    const { stream, text } = open();
    jest.advanceTimersByTime(14_999);
    expect(text()).toBe('');
    jest.advanceTimersByTime(1);
    expect(text()).toBe(': still here\n\n');
    stream.end();
  });

  it('stops that when the caller is gone', async () => {
    const { response } = open();
    response.destroy();
    await new Promise(setImmediate);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('waits until a slow caller has read', async () => {
    const { response, stream } = open(10);
    const never = new AbortController().signal;
    await stream.ready(never);
    stream.send({ name: 'job', id: '1', data: { text: 'longer than that' } });
    let isReady = false;
    const ready = stream.ready(never).then(() => (isReady = true));
    await new Promise(setImmediate);
    expect(isReady).toBe(false);
    response.resume();
    await ready;
    stream.end();
  });

  it('waits for a slow caller no longer than until the end', async () => {
    const { stream } = open(1);
    stream.send({ name: 'job', id: '1', data: {} });
    await stream.ready(AbortSignal.abort());
    stream.end();
  });
});
