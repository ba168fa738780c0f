import { Injectable } from '@nestjs/common';
import type { EngineVersions } from '@app/capture';
import { asService } from '@app/database';
import { Clock, withTimeout } from '@app/kernel';
import type { WorkerHeartbeat } from './worker-heartbeat.entity.js';
import { WorkerRegistryService } from './worker-registry.service.js';

/** How long what was read counts as current. */
const READ_EVERY_MS = 4_000;

/** How long a caller waits for a database that is slow or silent, when versions are known from a read before. */
const PATIENCE_MS = 500;

/**
 * The versions of the browser and of the filter lists that new captures are made with, for the keys of the cache, and the
 * options that the workers know. While workers are replaced, the latest of their versions count for all. Without workers,
 * and without the database, the last known ones stay.
 */
@Injectable()
export class EngineVersionsService {
  private features: readonly ReadonlySet<string>[] = [];
  private known: EngineVersions = { browser: '', filterLists: '' };
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly workers: WorkerRegistryService,
    private readonly clock: Clock,
  ) {}

  /** As of the last `refresh`. */
  get latest(): EngineVersions {
    return this.known;
  }

  /**
   * Those of these features that the worker which knows most of them lacks, as of the last `refresh`; none when a worker knows all.
   * Without workers a job waits for one that does.
   */
  missingFeatures(needs: readonly string[]): string[] {
    const missing = this.features.map((known) => needs.filter((need) => !known.has(need)));
    return missing.sort((a, b) => a.length - b.length)[0] ?? [];
  }

  /** Reads the versions unless that was done some seconds ago. Never rejects, and waits only for the first ones. */
  async refresh(): Promise<void> {
    // Also when the clock has been set back, however far.
    if (Math.abs(this.clock.now().getTime() - this.readAt) < READ_EVERY_MS) return;
    this.reading ??= asService(() => this.read()).finally(() => (this.reading = undefined));
    const isFirst = this.readAt === -Infinity;
    const reading = isFirst ? this.reading : withTimeout(this.reading, PATIENCE_MS, 'reading versions');
    await reading.catch(() => undefined);
  }

  private async read(): Promise<void> {
    const workers = await this.workers.listWithFeatures().catch(() => []);
    this.readAt = this.clock.now().getTime();
    if (workers.length === 0) return;
    this.known = latestOf(workers);
    this.features = workers.map(({ features }) => new Set(features));
  }
}

function latestOf(workers: readonly WorkerHeartbeat[]): EngineVersions {
  const byNumber = new Intl.Collator('en', { numeric: true });
  const browsers = workers.map(({ browser }) => browser).sort((a, b) => byNumber.compare(a, b));
  const lists = new Map<string, string>();
  for (const { name, date } of workers.flatMap(({ filterLists }) => filterLists)) {
    const latest = lists.get(name) ?? '';
    lists.set(name, (date ?? '') > latest ? (date ?? '') : latest);
  }
  return { browser: browsers.at(-1) ?? '', filterLists: JSON.stringify([...lists].sort()) };
}
