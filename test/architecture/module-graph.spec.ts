import { describe, expect, it } from '@jest/globals';
import type { DynamicModule, Provider, Type } from '@nestjs/common';
import { loadEnv } from '@app/config';
import * as jobs from '@app/jobs';
import { ApiModule } from '../../apps/api/src/api.module.js';
import { WorkerModule } from '../../apps/worker/src/worker.module.js';

type Imported = Type | DynamicModule;

/** The modules that Nest would build for this one, and the names of their providers, read from their metadata. */
class ModuleGraph {
  readonly modules = new Set<Type>();
  readonly providers = new Set<string>();

  constructor(root: DynamicModule) {
    this.add(root);
  }

  /** The names of those modules that libs/jobs exports. */
  get phases(): string[] {
    const exported = new Set<unknown>(Object.values(jobs));
    return [...this.modules]
      .filter((module) => exported.has(module))
      .map(({ name }) => name)
      .sort();
  }

  private add(imported: Imported): void {
    const module = 'module' in imported ? imported.module : imported;
    const dynamic: Partial<DynamicModule> = 'module' in imported ? imported : {};
    if (this.modules.has(module) && module === imported) return;
    this.modules.add(module);
    const read = (key: string): unknown[] =>
      (Reflect.getMetadata(key, module) as unknown[] | undefined) ?? [];
    for (const each of [...read('imports'), ...(dynamic.imports ?? [])]) this.add(each as Imported);
    for (const each of [...read('providers'), ...(dynamic.providers ?? [])])
      this.addProvider(each as Provider);
  }

  private addProvider(provider: Provider): void {
    const token = typeof provider === 'function' ? provider : provider.provide;
    if (typeof token === 'function') this.providers.add(token.name);
  }
}

describe('the modules of libs/jobs', () => {
  const env = loadEnv({ DATABASE_URL: 'postgres://localhost/none' });
  const api = new ModuleGraph(ApiModule.forEnvironment(env));
  const worker = new ModuleGraph(WorkerModule.forEnvironment(env));

  it('are in the API those that accept, show and delete jobs', () => {
    expect(api.phases).toEqual([
      'IdempotencyKeyModule',
      'JobAcceptanceModule',
      'JobBatchesModule',
      'JobCacheModule',
      'JobDeletionModule',
      'JobExpiryModule',
      'JobHistoryModule',
      'JobIntakeModule',
      'JobModule',
      'JobQueueModule',
      'JobSignalsModule',
      'JobWatchModule',
      'JobsModule',
      'LogInsModule',
      'RunnableJobsModule',
      'WorkerRegistryModule',
    ]);
  });

  it('are in the worker those that dispatch, run and look after jobs', () => {
    expect(worker.phases).toEqual([
      'IdempotencyKeyModule',
      'JobBatchesModule',
      'JobCacheModule',
      'JobDispatchModule',
      'JobExpiryModule',
      'JobHistoryModule',
      'JobIntakeModule',
      'JobModule',
      'JobQueueModule',
      'JobRunningModule',
      'JobSignalsModule',
      'JobUpkeepModule',
      'LogInsModule',
      'WorkerRegistryModule',
    ]);
  });

  it('build no service of the worker in the API, and none of the API in the worker', () => {
    const ofWorker = ['AccountingAuditService', 'AttemptsService', 'DispatcherService', 'RecoveryService'];
    const ofApi = ['AcceptanceService', 'JobDeletionService', 'JobWatchService', 'JobsService'];
    const among = (graph: ModuleGraph, names: readonly string[]) =>
      names.filter((name) => graph.providers.has(name));
    expect([among(api, ofApi), among(api, ofWorker)]).toEqual([ofApi, []]);
    expect([among(worker, ofWorker), among(worker, ofApi)]).toEqual([ofWorker, []]);
  });
});
