import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { AppError } from '@app/kernel';
import { PipeTransport } from './pipe-transport.js';

const KB = 1024;
const LIMITS = { messageBytes: 128 * KB, eventBytes: 64 * KB };

interface Pipes {
  readonly toBrowser: PassThrough;
  readonly fromBrowser: PassThrough;
  readonly transport: PipeTransport;
  /** Why the transport has stopped reading; empty while it reads. */
  readonly refusals: AppError[];
}

function open(): Pipes {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const refusals: AppError[] = [];
  const listeners = { onMessage: () => undefined, refuse: (reason: AppError) => void refusals.push(reason) };
  return {
    toBrowser,
    fromBrowser,
    refusals,
    transport: new PipeTransport(toBrowser, fromBrowser, listeners, LIMITS),
  };
}

/** Writes like a browser, no faster than the transport reads. */
async function write({ fromBrowser }: Pipes, ...chunks: (string | Buffer)[]): Promise<void> {
  for (const chunk of chunks) if (!fromBrowser.write(chunk)) await once(fromBrowser, 'drain');
  await turn();
}

const event = (bytes: number): string => `{"method":"Page.frameNavigated","x":"${'x'.repeat(bytes)}"}\0`;

/** The messages that arrive when the browser writes these chunks. */
async function messagesOf(chunks: readonly Buffer[]): Promise<string[]> {
  const { fromBrowser, transport } = open();
  const messages: string[] = [];
  transport.onmessage = (message) => messages.push(message);
  for (const chunk of chunks) fromBrowser.write(chunk);
  fromBrowser.end();
  await once(fromBrowser, 'close');
  await turn();
  return messages;
}

describe(PipeTransport.name, () => {
  const text = '{"a":"ü€😀"}\0{"b":2}\0{"c":"';
  const whole = Buffer.from(text);

  it.each([1, 2, 3, 7, whole.length])('joins messages from chunks of %i bytes', async (size) => {
    const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
      whole.subarray(index * size, (index + 1) * size),
    );
    expect(await messagesOf(chunks)).toEqual(['{"a":"ü€😀"}', '{"b":2}']);
  });

  it('terminates each message with a zero byte, and writes at once what is sent at once', async () => {
    const { toBrowser, transport } = open();
    transport.send('{"id":1}');
    transport.send('{"id":2}');
    expect(toBrowser.read()).toBeNull();
    await turn();
    expect(String(toBrowser.read())).toBe('{"id":1}\0{"id":2}\0');
  });

  it('reports the end of the browser, and survives broken pipes', async () => {
    const { toBrowser, fromBrowser, transport } = open();
    const closed = new Promise<void>((resolve) => (transport.onclose = resolve));
    toBrowser.destroy(new Error('EPIPE'));
    fromBrowser.destroy(new Error('ECONNRESET'));
    await closed;
  });

  it('stops at a message beyond the limit, and buffers nothing of it', async () => {
    const pipes = open();
    const messages: string[] = [];
    pipes.transport.onmessage = (message) => messages.push(message);
    await write(pipes, '{"id":1,"x":"', ...Array.from({ length: 128 }, () => Buffer.alloc(KB, 'x')), '"}\0');
    expect(pipes.refusals).toMatchObject([{ code: 'resource_limit' }]);
    pipes.fromBrowser.write('{"id":2}\0');
    await turn();
    expect(messages).toEqual([]);
  });

  it('reads events up to the limit of a capture, in one or many, and again after a reset', async () => {
    const pipes = open();
    await write(pipes, event(60 * KB));
    pipes.transport.reset();
    await write(pipes, event(30 * KB), event(30 * KB), '{"id":1,"x":"', Buffer.alloc(90 * KB, 'x'), '"}\0');
    expect(pipes.refusals).toEqual([]);
    await write(pipes, event(5 * KB));
    expect(pipes.refusals).toMatchObject([{ code: 'resource_limit' }]);
  });

  it('drops unused events without counting them', async () => {
    const pipes = open();
    const messages: string[] = [];
    pipes.transport.onmessage = (message) => messages.push(message);
    const frame = (name: string): string =>
      `{"method":"Network.${name}","params":{"x":"${'x'.repeat(40 * KB)}"}}\0`;
    await write(pipes, frame('webSocketFrameReceived'), frame('webSocketFrameSent'), '{"id":1}\0');
    expect(messages).toEqual(['{"id":1}']);
    expect(pipes.refusals).toEqual([]);
  });

  it.each(['Runtime.enable', 'Log.enable', 'Performance.enable', 'WebMCP.enable'])(
    'answers %s itself: its events never leave the browser',
    async (method) => {
      const { toBrowser, transport } = open();
      const messages: string[] = [];
      transport.onmessage = (message) => messages.push(message);
      transport.send(JSON.stringify({ method, params: {}, id: 7, sessionId: 'A' }));
      transport.send('{"method":"Runtime.evaluate","id":8}');
      await turn();
      expect(messages).toEqual(['{"id":7,"sessionId":"A","result":{}}']);
      expect(String(toBrowser.read())).toBe('{"method":"Runtime.evaluate","id":8}\0');
    },
  );

  it('forwards the command for metrics, and none of the events that it enables', async () => {
    const { toBrowser, transport, ...pipes } = open();
    const messages: string[] = [];
    transport.onmessage = (message) => messages.push(message);
    const command = '{"method":"Performance.enable","params":{"timeDomain":"timeTicks"},"id":7}';
    transport.send(command);
    await turn();
    expect(String(toBrowser.read())).toBe(`${command}\0`);
    await write({ toBrowser, transport, ...pipes }, '{"method":"Performance.metrics"}\0{"id":7}\0');
    expect(messages).toEqual(['{"id":7}']);
  });

  it('excludes posted data from the events of requests', async () => {
    const { toBrowser, transport } = open();
    transport.send('{"method":"Network.enable","id":7,"sessionId":"A"}');
    await turn();
    const sent = JSON.parse(String(toBrowser.read()).replace('\0', '')) as unknown;
    expect(sent).toEqual({ method: 'Network.enable', id: 7, sessionId: 'A', params: { maxPostDataSize: 1 } });
  });

  it('reports execution contexts on request, for one capture and without console messages', async () => {
    const { toBrowser, transport, ...pipes } = open();
    const messages: string[] = [];
    transport.onmessage = (message) => messages.push(message);
    transport.reportContexts();
    transport.send('{"method":"Runtime.enable","id":1}');
    await turn();
    expect(String(toBrowser.read())).toBe('{"method":"Runtime.enable","id":1}\0');
    const created = '{"method":"Runtime.executionContextCreated"}';
    await write({ toBrowser, transport, ...pipes }, `{"method":"Runtime.consoleAPICalled"}\0${created}\0`);
    expect(messages).toEqual([created]);
    transport.reset();
    transport.send('{"method":"Runtime.enable","id":2}');
    await turn();
    expect(toBrowser.read()).toBeNull();
  });

  const failures: Record<string, () => unknown> = {
    throws: () => {
      throw new TypeError('unexpected');
    },
    rejects: () => Promise.reject(new TypeError('unexpected')),
  };

  it.each(Object.keys(failures))(
    'reads no more when its listener %s, and nothing of it escapes',
    async (how) => {
      const pipes = open();
      pipes.transport.onmessage = (message) => failures[how]?.call(message);
      await write(pipes, 'no JSON\0', '{"id":1}\0');
      await turn();
      expect(pipes.refusals).toMatchObject([{ code: 'browser_crashed' }]);
    },
  );
});
