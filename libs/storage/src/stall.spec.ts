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

  it('ends a body that brings nothing to a reader who waits', () => {
    jest.advanceTimersByTime(2 * STALL_MS);
    expect(body.destroyed).toBe(true);
  });

  it('leaves a reader alone who took nothing for long and has just taken all there was', () => {
    body.push(Buffer.from('bytes nobody takes'));
    jest.advanceTimersByTime(5 * STALL_MS - 1);
    body.read();
    jest.advanceTimersByTime(1);
    expect(body.destroyed).toBe(false);
  });
});
