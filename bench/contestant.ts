import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Round, RoundResult } from './round.js';

/** Starts a script of this folder that captures rounds in a process of its own, which ends when it is disconnected. */
export async function startContestant(
  script: string,
  env: Record<string, string> = {},
): Promise<ChildProcess> {
  const child = fork(new URL(script, import.meta.url), {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  await once(child, 'message');
  return child;
}

export async function runRoundOf<T extends RoundResult>(child: ChildProcess, round: Round): Promise<T> {
  child.send(round);
  const [result] = (await once(child, 'message')) as [T];
  return result;
}
