import { LOCKS } from '@app/database';
import { eventually } from '../../support/eventually.js';
import { processes } from '../../support/processes.js';
import type { HeldPage } from './fault-site.js';
import { busyBrowsers, holdsPort } from './process-state.js';
import type { Member, World } from './world.js';

/** The worker whose request for the page is the last one, and still waits. */
export function workerAt({ workers }: World, page: Pick<HeldPage, 'url' | 'visitors'>): Member {
  const port = page.visitors.at(-1)?.remotePort;
  const worker = workers.find(({ pid }) => port !== undefined && holdsPort(pid, port));
  if (!worker) throw new Error(`No worker is waiting for ${page.url}`);
  return worker;
}

/** The process group of the busy browser of a worker that runs one capture. */
export function busyBrowser(worker: Member): number {
  const [group, ...more] = busyBrowsers(worker.pid);
  if (group === undefined || more.length > 0)
    throw new Error(`The worker ${worker.pid} does not run exactly one capture`);
  return group;
}

export function renderersOf(group: number): number[] {
  return processes()
    .filter((row) => row.group === group && row.command.includes('--type=renderer'))
    .map(({ pid }) => pid);
}

/** Stops a worker (SIGSTOP) at a moment when it holds the dispatch lock. */
export async function stopWhileDispatching(world: World): Promise<Member> {
  let stopped: Member | undefined;
  await eventually(
    'a worker is stopped while it dispatches',
    async () => {
      for (const worker of world.workers) {
        worker.kill('SIGSTOP');
        if (await hasLock(world, worker, 'dispatch', 'idle in transaction')) {
          stopped = worker;
          return true;
        }
        worker.kill('SIGCONT');
      }
      return false;
    },
    60_000,
  );
  if (!stopped) throw new Error('No worker dispatches.');
  return stopped;
}

/** Whether a session of the worker holds this advisory lock and is in this state. */
export async function hasLock(
  { rows }: World,
  { pid }: Member,
  name: keyof typeof LOCKS,
  state: 'idle' | 'idle in transaction',
): Promise<boolean> {
  const holders = await rows.query<{ port: number }>(
    `SELECT client_port AS port FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND granted AND objid = $1 AND state = $2`,
    [LOCKS[name], state],
  );
  return holders.some(({ port }) => holdsPort(pid, port));
}
