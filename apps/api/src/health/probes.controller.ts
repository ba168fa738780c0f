import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { isUsable } from '@app/database';
import { Public } from '../http/auth/caller.js';
import { DrainService } from '../http/drain.service.js';
import { ServiceHealthService } from './service-health.service.js';

interface Probe {
  readonly status: 'ok' | 'degraded' | 'down';
  readonly checks: Readonly<Record<string, 'ok' | 'down'>>;
}

/** Probes for orchestrators. */
@ApiExcludeController()
@Public()
@Controller()
export class ProbesController {
  constructor(
    private readonly health: ServiceHealthService,
    private readonly drain: DrainService,
  ) {}

  /** The process responds. No dependency is checked, so that an outage elsewhere restarts nothing. */
  @Get('livez')
  live(): Probe {
    return { status: 'ok', checks: {} };
  }

  /**
   * Requests can be answered. Queue and workers are not checked, because the API accepts jobs without them. Secrets that
   * cannot be opened are said and fail nothing: most requests need none, and every other process has the same key.
   */
  @Get('readyz')
  async ready(@Res({ passthrough: true }) response: Response): Promise<Probe> {
    const database = await this.health.databaseState();
    const isServing = !this.drain.isDraining;
    const isReady = isUsable(database) && isServing;
    const opensSecrets = !isUsable(database) || (await this.health.canOpenSecrets());
    response.status(isReady ? 200 : 503);
    return {
      status: !isReady ? 'down' : opensSecrets ? 'ok' : 'degraded',
      checks: {
        database: okOrDown(database !== 'down'),
        schema: okOrDown(database !== 'old_schema' && database !== 'unsupported_schema'),
        secrets: okOrDown(opensSecrets),
        serving: okOrDown(isServing),
      },
    };
  }

  /** The API has started: it listens only after its modules are initialized and the schema is migrated. */
  @Get('startupz')
  started(): Probe {
    return { status: 'ok', checks: {} };
  }
}

function okOrDown(isOk: boolean): 'ok' | 'down' {
  return isOk ? 'ok' : 'down';
}
