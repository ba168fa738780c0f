import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../http/auth/caller.js';
import { DrainService } from '../http/drain.service.js';
import { ServiceHealthService } from './service-health.service.js';

interface Probe {
  readonly status: 'ok' | 'down';
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

  /** Requests can be answered. Queue and workers are not checked, because the API accepts jobs without them. */
  @Get('readyz')
  async ready(@Res({ passthrough: true }) response: Response): Promise<Probe> {
    const database = await this.health.isDatabaseUp();
    const isReady = database && !this.drain.isDraining;
    response.status(isReady ? 200 : 503);
    return {
      status: isReady ? 'ok' : 'down',
      checks: { database: database ? 'ok' : 'down', serving: this.drain.isDraining ? 'down' : 'ok' },
    };
  }

  /** The API has started: it listens only after its modules are initialized and the schema is migrated. */
  @Get('startupz')
  started(): Probe {
    return { status: 'ok', checks: {} };
  }
}
