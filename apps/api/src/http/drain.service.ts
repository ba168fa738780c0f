import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Env } from '@app/config';
import { SyncCapturesService } from '../captures/sync-captures.service.js';
import { ServingService } from './serving.service.js';

const SWEEP_MS = 100;

/**
 * Ends the serving of requests in order: not ready any more, but requests are taken until a load balancer has noticed;
 * then no new connections; those in progress get the grace, whoever is left is hung up on. All before Nest closes the
 * database under them.
 */
@Injectable()
export class DrainService implements OnModuleDestroy, BeforeApplicationShutdown {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly env: Env,
    private readonly serving: ServingService,
    private readonly captures: SyncCapturesService,
  ) {}

  onModuleDestroy(): void {
    this.serving.drain();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await sleep(this.env.SHUTDOWN_DELAY_MS);
    const server = this.host.httpAdapter.getHttpServer() as Server;
    const cut = setTimeout(() => {
      server.closeAllConnections();
    }, this.env.SHUTDOWN_GRACE_MS);
    const closed = new Promise((resolve) => server.close(resolve));
    this.serving.close();
    // A stream that began before says `keep-alive`: its connection falls idle only after the server has looked for such.
    const sweep = setInterval(() => {
      server.closeIdleConnections();
    }, SWEEP_MS);
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
    // A caller who was cut off counts as hung up: its capture is canceled, which takes the database.
    await this.captures.settled();
  }
}
