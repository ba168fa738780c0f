import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { WorkerHealthService } from './worker-health.service.js';
import { WorkerVitalsService } from './worker-vitals.service.js';

/** Probes for orchestrators. */
@Controller()
export class HealthController {
  constructor(
    private readonly checks: HealthCheckService,
    private readonly health: WorkerHealthService,
    private readonly vitals: WorkerVitalsService,
  ) {}

  /** A restart would not help. Touches no dependency, so that an outage elsewhere restarts nothing. */
  @Get('livez')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.checks.check([() => this.vitals.eventLoopMoves(), () => this.vitals.browsersCanStart()]);
  }

  /** The worker can take captures. */
  @Get('readyz')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.checks.check([
      () => this.vitals.takesCaptures(),
      () => this.vitals.aBrowserRuns(),
      () => this.health.databaseAnswers(),
      () => this.health.queueAnswers(),
      () => this.health.storageTakesFiles(),
      () => this.health.diskHasRoom(),
    ]);
  }

  /** The worker has started: it listens only once its modules are up. */
  @Get('startupz')
  @HealthCheck()
  started(): Promise<HealthCheckResult> {
    return this.checks.check([]);
  }
}
