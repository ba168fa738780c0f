import { PassThrough } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';
import { CliContext } from './cli-context.js';

function contextWith(exit: (code: number) => void = () => undefined): CliContext {
  const stream = new PassThrough();
  return new CliContext({ stdin: stream, stdout: stream, stderr: stream, env: {}, exit });
}

describe('Ctrl-C', () => {
  it('aborts the command and cancels what it started, of what is not done yet', async () => {
    const context = contextWith();
    const canceled: string[] = [];
    context.onInterrupt(async () => void canceled.push('a job'));
    context.onInterrupt(() => void canceled.push('a finished job'))();
    context.onInterrupt(() => {
      throw new Error('It could not be canceled.');
    });
    context.interrupt('SIGINT');
    await context.settled();
    expect(canceled).toEqual(['a job']);
    expect(context.signal.reason).toMatchObject({ name: 'Interrupted', exitCode: 130 });
  });

  it('twice ends the command at once, but not when npm and the terminal both pass it on', () => {
    const exit = jest.fn<(code: number) => void>();
    const now = jest.spyOn(performance, 'now').mockReturnValue(10_000);
    const context = contextWith(exit);
    context.interrupt('SIGINT');
    now.mockReturnValue(10_010);
    context.interrupt('SIGINT');
    expect(exit).not.toHaveBeenCalled();
    now.mockReturnValue(11_000);
    context.interrupt('SIGINT');
    now.mockRestore();
    expect(exit).toHaveBeenCalledWith(130);
  });
});
