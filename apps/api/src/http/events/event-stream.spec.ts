import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'express';
import { EventStream } from './event-stream.js';

/** A response that the test reads as the caller. */
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
    // Nothing is buffered here.
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

  it('declares its type, and forbids proxies to buffer it', () => {
    const { response, stream } = open();
    expect(response.sent).toEqual({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'X-Accel-Buffering': 'no',
    });
    stream.end();
  });

  it('sends each field of an event as one line, and first how soon to connect again after a cut', () => {
    const { stream, text } = open();
    stream.send({ name: 'job', id: 'queued.0.1', data: { title: 'two\nlines' } });
    expect(text()).toBe('event: job\nid: queued.0.1\nretry: 1000\ndata: {"title":"two\\nlines"}\n\n');
    stream.send({ name: 'job', id: 'running.1.0', data: {} });
    expect(text()).toBe('event: job\nid: running.1.0\ndata: {}\n\n');
    stream.end();
  });

  it('sends a comment every 15 seconds', () => {
    const { stream, text } = open();
    jest.advanceTimersByTime(14_999);
    expect(text()).toBe('');
    jest.advanceTimersByTime(1);
    expect(text()).toBe(': still here\n\n');
    stream.end();
  });

  it('stops the comments when the caller disconnects', async () => {
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

  it('stops waiting for a slow caller when the signal aborts', async () => {
    const { stream } = open(1);
    stream.send({ name: 'job', id: '1', data: {} });
    await stream.ready(AbortSignal.abort());
    stream.end();
  });
});
