import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { CDPSession } from 'puppeteer';
import { eventually } from '../../../../test/support/eventually.js';
import { GpuProcess } from './gpu-process.js';
import { threadStates } from './thread-states.js';

const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) await end(child);
});

async function start(command: string): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn('/bin/sh', ['-c', command], { stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  return child as ChildProcess & { readonly pid: number };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** A browser that says that this is its GPU process. */
async function gpuProcessOf(pid: number): Promise<GpuProcess> {
  const send = () => Promise.resolve({ processInfo: [{ type: 'GPU', id: pid, cpuTime: 0 }] });
  const gpu = new GpuProcess({ send } as unknown as CDPSession);
  await gpu.check();
  return gpu;
}

describe(GpuProcess.name, () => {
  it('comes to rest when it sleeps', async () => {
    const { pid } = await start('exec sleep 60');
    await eventually('the shell sleeps', () => threadStates(pid).join('') === 'S');
    expect(await (await gpuProcessOf(pid)).comesToRest()).toBe(true);
  });

  it('does not come to rest while it computes', async () => {
    const { pid } = await start('while :; do :; done');
    expect(await (await gpuProcessOf(pid)).comesToRest()).toBe(false);
  });

  it('does not come to rest when it is stopped', async () => {
    const { pid } = await start('exec sleep 60');
    process.kill(pid, 'SIGSTOP');
    await eventually('it is stopped', () => threadStates(pid).join('') === 'T');
    expect(await (await gpuProcessOf(pid)).comesToRest()).toBe(false);
  });

  it('does not come to rest when it is gone, or was never seen', async () => {
    const child = await start('exec sleep 60');
    const gpu = await gpuProcessOf(child.pid);
    await end(child);
    expect(await gpu.comesToRest()).toBe(false);
    expect(await new GpuProcess({} as CDPSession).comesToRest()).toBe(false);
  });
});
