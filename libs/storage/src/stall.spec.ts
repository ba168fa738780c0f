import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { failWhenStalled } from './stall.js';

const STALL_MS = 1_000;

describe('failWhenStalled', () => {
  let body: IncomingMessage;

  beforeEach(() => {
    jest.useFakeTimers();
    body = new IncomingMessage(new Socket());
    body.on('error', () => undefined);
    failWhenStalled(body, STALL_MS);
  });

  afterEach(() => {
    body.destroy();
    jest.useRealTimers();
  });

  it('destroys a body that receives nothing while its reader waits', () => {
    jest.advanceTimersByTime(2 * STALL_MS);
    expect(body.destroyed).toBe(true);
  });

  it('keeps a body whose reader has just resumed after a long pause', () => {
    body.push(Buffer.from('bytes nobody takes'));
    jest.advanceTimersByTime(5 * STALL_MS - 1);
    body.read();
    jest.advanceTimersByTime(1);
    expect(body.destroyed).toBe(false);
  });
});
