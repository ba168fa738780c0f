import { expect } from '@jest/globals';
import { scrapeAll, writeRecording, type Scrape, type Target } from '../../operations/support/recording.js';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import type { Member, World } from './world.js';

const WITHIN_MS = 180_000;

/** The value of the only series of this metric with these labels, summed over all processes. */
export const sumOf = (scrape: Scrape, metric: string, ...labels: string[]) =>
  Object.entries(scrape)
    .filter(([series]) => series.startsWith(`${metric}{`) && labels.every((label) => series.includes(label)))
    .reduce((sum, [, value]) => sum + value, 0);

/** All 0 where nothing runs and nothing waits. */
const IDLE = [
  'capture_service_jobs',
  'capture_service_jobs_oldest_seconds',
  'capture_service_webhooks_oldest_due_seconds',
];

/** Members of a world whose metrics are served, each on a port of its own. */
export class Installation {
  /** A target is named by its place among those that were started. */
  private readonly started: Member[] = [];

  constructor(readonly world: World) {}

  async start(name: Member['name']): Promise<Member> {
    const variable = name === 'api' ? 'METRICS_PORT' : 'WORKER_METRICS_PORT';
    const member = await this.world.start(name, { [variable]: String(await freePort()) });
    this.started.push(member);
    return member;
  }

  /** Brings back what the last fault ended, and forgets what it killed. */
  async restore(workers: number): Promise<void> {
    const { members } = this.world;
    for (const member of members) if (member.isRunning()) member.kill('SIGCONT');
    members.splice(0, members.length, ...members.filter((member) => member.isRunning()));
    if (this.world.apis.length === 0) await this.start('api');
    while (this.world.workers.length < workers) await this.start('worker');
    await Promise.all(members.map((member) => member.ready()));
  }

  scrape(): Promise<Scrape> {
    return scrapeAll(
      this.world.members.map((member): Target => {
        const { name, env } = member;
        const port = name === 'api' ? env.METRICS_PORT : env.WORKER_METRICS_PORT;
        const instance = `${name}-${this.started.filter((each) => each.name === name).indexOf(member) + 1}`;
        return { job: `capture-${name}`, instance, url: `http://127.0.0.1:${port}` };
      }),
    );
  }

  /** Waits until nothing is left of an earlier fault; resolves to the metrics of a service that is sound. */
  quiet(): Promise<Scrape> {
    const { workers } = this.world;
    return this.until('the service is sound and idle', (scrape) => {
      const isIdle = IDLE.every((metric) => sumOf(scrape, metric) === 0);
      const slots = sumOf(scrape, 'capture_service_slots');
      const isComplete = sumOf(scrape, 'capture_service_workers') === workers.length;
      return isIdle && isComplete && slots > 0 && sumOf(scrape, 'capture_service_slots_healthy') === slots;
    });
  }

  /** Waits until the metrics show the fault; resolves to them. */
  async until(what: string, shows: (scrape: Scrape) => boolean): Promise<Scrape> {
    let scrape: Scrape = {};
    await eventually(what, async () => shows((scrape = await this.scrape())), WITHIN_MS);
    return scrape;
  }
}

/**
 * Causes the fault and records what the service exports before and meanwhile. The recordings in test/operations are those
 * of such a run: RECORD_METRICS=true writes them. Here they show that the service still exports the same.
 */
export async function record(
  name: string,
  installation: Installation,
  cause: () => Promise<Scrape>,
): Promise<void> {
  const before = await installation.quiet();
  const during = await cause();
  expect(Object.keys(before).length).toBeGreaterThan(20);
  if (process.env.RECORD_METRICS === 'true') writeRecording(name, { before, during });
}
