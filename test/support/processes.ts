import { readdirSync, readFileSync } from 'node:fs';

/** A row of the process table that tests look at; Linux only. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly command: string;
}

/** All processes but zombies, which only wait for their parent to notice. */
export function processes(): ProcessRow[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The program's name, in parentheses, may hold anything.
      const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z') return [];
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return [{ pid: Number(name), parent: Number(parent), group: Number(group), command }];
    } catch {
      return [];
    }
  });
}

/** The processes below one, its own children and theirs. */
export function descendants(pid: number, table = processes()): ProcessRow[] {
  return table.filter((row) => row.parent === pid).flatMap((row) => [row, ...descendants(row.pid, table)]);
}

/** The processes of all browsers that a process of ours started; each browser is a process group. */
export function browsersOf(owner: number): ProcessRow[] {
  const table = processes();
  const leaders = descendants(owner, table).filter(({ command }) => command.includes('/capture-browsers.'));
  const groups = new Set(leaders.map(({ group }) => group));
  return table.filter(({ group }) => groups.has(group));
}

/**
 * The processes of browsers that this process starts from now on. A Jest worker runs many spec files: the browsers of
 * the one before may still be ending.
 */
export function browsersFromNow(): () => ProcessRow[] {
  const before = new Set(browsersOf(process.pid).map(({ group }) => group));
  return () => browsersOf(process.pid).filter(({ group }) => !before.has(group));
}
