import { readdirSync, readFileSync } from 'node:fs';

/** A row of the process table (Linux only). */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly command: string;
}

/** All processes except zombies. */
export function processes(): ProcessRow[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name of the program, in parentheses, may contain anything.
      const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z') return [];
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return [{ pid: Number(name), parent: Number(parent), group: Number(group), command }];
    } catch {
      return [];
    }
  });
}

/** The children of a process, and theirs. */
export function descendants(pid: number, table = processes()): ProcessRow[] {
  return table.filter((row) => row.parent === pid).flatMap((row) => [row, ...descendants(row.pid, table)]);
}

/** Kills a process. A process that was not found is an error: its number would be 0, which means the group of the tests. */
export function killProcess(pid: number | undefined): void {
  if (!pid) throw new Error('The process to kill was not found.');
  process.kill(pid, 'SIGKILL');
}

/** The processes of all browsers that one of our processes has started; each browser is a process group. */
export function browsersOf(owner: number): ProcessRow[] {
  const table = processes();
  const leaders = descendants(owner, table).filter(({ command }) => command.includes('/capture-browsers.'));
  const groups = new Set(leaders.map(({ group }) => group));
  return table.filter(({ group }) => groups.has(group));
}

/**
 * Returns a function for the processes of the browsers that this process starts from now on. A Jest worker runs many
 * spec files, and the browsers of the previous one may still be ending.
 */
export function browsersFromNow(): () => ProcessRow[] {
  const before = new Set(browsersOf(process.pid).map(({ group }) => group));
  return () => browsersOf(process.pid).filter(({ group }) => !before.has(group));
}
