import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Clock } from '@app/kernel';
import type { Response } from 'express';
import { DocumentsHealth } from './health.docs.js';
import { Public } from '../http/auth/caller.js';
import type { Health } from './health.response.js';
import { ServiceHealthService } from './service-health.service.js';

/** The route is public, so the dependencies are checked at most this often. */
const CACHE_MS = 2_000;

@ApiTags('Service')
@Public()
@Controller('v1/health')
export class HealthController {
  private last: { readonly health: Promise<Health>; readonly until: number } | undefined;

  constructor(
    private readonly health: ServiceHealthService,
    private readonly clock: Clock,
  ) {}

  @Get()
  @DocumentsHealth()
  async show(@Res({ passthrough: true }) response: Response): Promise<Health> {
    const health = await this.cached();
    response.status(health.status === 'down' ? 503 : 200);
    return health;
  }

  private cached(): Promise<Health> {
    const now = this.clock.now().getTime();
    if (!this.last || now >= this.last.until) {
      this.last = { health: this.health.read(), until: now + CACHE_MS };
    }
    return this.last.health;
  }
}
