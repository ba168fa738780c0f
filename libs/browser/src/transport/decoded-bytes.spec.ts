import { describe, expect, it } from '@jest/globals';
import { DecodedBytes } from './decoded-bytes.js';

const received = (dataLength: number, sessionId: string): string =>
  JSON.stringify({
    method: 'Network.dataReceived',
    params: { requestId: '1', timestamp: 1, dataLength, encodedDataLength: 1 },
    sessionId,
  });

/** Whether a promise has resolved. */
const isOver = (promise: Promise<void>): Promise<boolean> =>
  Promise.race([promise.then(() => true), Promise.resolve().then(() => false)]);

describe(DecodedBytes.name, () => {
  it('sums the bytes of all sessions', async () => {
    const decoded = new DecodedBytes();
    const passed = decoded.watch(100);
    decoded.read(received(60, 'page'));
    decoded.read(received(40, 'frame'));
    expect(await isOver(passed)).toBe(false);
    decoded.read(received(1, 'worker'));
    expect(await isOver(passed)).toBe(true);
  });

  it('counts nothing else, however similar', async () => {
    const decoded = new DecodedBytes();
    const passed = decoded.watch(1);
    decoded.read('{"method":"Network.loadingFinished","params":{"encodedDataLength":100}}');
    decoded.read(`{"id":1,"result":{"value":${JSON.stringify(received(100, 'page'))}}}`);
    expect(await isOver(passed)).toBe(false);
  });

  it('starts from 0 for each capture', async () => {
    const decoded = new DecodedBytes();
    const first = decoded.watch(100);
    decoded.read(received(90, 'page'));
    const second = decoded.watch(100);
    decoded.read(received(90, 'page'));
    expect([await isOver(first), await isOver(second)]).toEqual([false, false]);
  });
});
