import { readdirSync, readFileSync } from 'node:fs';

/** The states of the threads of a process, as in proc(5): `R` runs or waits for a core, `S` sleeps. Empty when it is gone, and on other systems than Linux. */
export function threadStates(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
      // The name of the thread, in parentheses, may contain anything; the state follows it.
      return stat.charAt(stat.lastIndexOf(')') + 2);
    });
  } catch {
    return [];
  }
}
