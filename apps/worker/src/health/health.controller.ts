import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService, type HealthCheckResult } from '@nestjs/terminus';
import { WorkerHealth } from './worker-health.js';

/** Probes for orchestrators. */
@Controller()
export class HealthController {
  constructor(
    private readonly checks: HealthCheckService,
    private readonly health: WorkerHealth,
  ) {}

  /** The process answers; touches no dependency, so that an outage elsewhere restarts nothing. */
  @Get('livez')
  @HealthCheck()
  live(): Promise<HealthCheckResult> {
    return this.checks.check([]);
  }

  /** The worker can take captures. */
  @Get('readyz')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.checks.check([
      () => this.health.databaseAnswers(),
      () => this.health.queueAnswers(),
      () => this.health.storageTakesFiles(),
      () => this.health.aBrowserRuns(),
    ]);
  }

  /** The worker has started: it listens only once its modules are up. */
  @Get('startupz')
  @HealthCheck()
  started(): Promise<HealthCheckResult> {
    return this.checks.check([]);
  }
}
