import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { PipeTransport } from './pipe-transport.js';

function open(): { toBrowser: PassThrough; fromBrowser: PassThrough; transport: PipeTransport } {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  return { toBrowser, fromBrowser, transport: new PipeTransport(toBrowser, fromBrowser) };
}

/** What arrives when the browser writes these chunks. */
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

  it.each([1, 2, 3, 7, whole.length])('joins messages that come in chunks of %i bytes', async (size) => {
    const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
      whole.subarray(index * size, (index + 1) * size),
    );
    expect(await messagesOf(chunks)).toEqual(['{"a":"ü€😀"}', '{"b":2}']);
  });

  it('ends each message it sends with a zero byte', () => {
    const { toBrowser, transport } = open();
    transport.send('{"id":1}');
    transport.send('{"id":2}');
    expect(String(toBrowser.read())).toBe('{"id":1}\0{"id":2}\0');
  });

  it('tells that the browser is gone, and survives broken pipes', async () => {
    const { toBrowser, fromBrowser, transport } = open();
    const closed = new Promise<void>((resolve) => (transport.onclose = resolve));
    toBrowser.destroy(new Error('EPIPE'));
    fromBrowser.destroy(new Error('ECONNRESET'));
    await closed;
  });
});
