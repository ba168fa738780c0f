import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { WorkerHealthService } from './worker-health.service.js';
import { WorkerVitalsService } from './worker-vitals.service.js';

/** The worker has no API document, and the library for it would be a seventh of what the worker loads when it starts. */
const UNDOCUMENTED = { noCache: true, swaggerDocumentation: false };

/** Health probes for orchestrators. */
@Controller()
export class HealthController {
  constructor(
    private readonly checks: HealthCheckService,
    private readonly health: WorkerHealthService,
    private readonly vitals: WorkerVitalsService,
  ) {}

  /** Fails when a restart would help. It checks no other service, so that an outage elsewhere restarts nothing. */
  @Get('livez')
  @HealthCheck(UNDOCUMENTED)
  live(): Promise<HealthCheckResult> {
    return this.checks.check([() => this.vitals.eventLoopMoves(), () => this.vitals.browsersCanStart()]);
  }

  /** Succeeds when the worker can run captures. */
  @Get('readyz')
  @HealthCheck(UNDOCUMENTED)
  ready(): Promise<HealthCheckResult> {
    return this.checks.check([
      () => this.vitals.takesCaptures(),
      () => this.vitals.aBrowserRuns(),
      () => this.health.databaseAnswers(),
      () => this.health.queueAnswers(),
      () => this.health.storageTakesFiles(),
      () => this.health.nameServersAnswer(),
      () => this.health.diskHasRoom(),
      () => this.vitals.filterLists(),
    ]);
  }

  /** Succeeds once the worker has started: it listens only after its modules are initialised. */
  @Get('startupz')
  @HealthCheck(UNDOCUMENTED)
  started(): Promise<HealthCheckResult> {
    return this.checks.check([]);
  }
}
