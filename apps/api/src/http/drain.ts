import type { Server } from 'node:http';
import { Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Env } from '@app/config';
import { SyncCaptures } from '../captures/sync-captures.service.js';

/**
 * Ends the serving of requests in order: not ready any more, no new connections, those in progress get the grace,
 * whoever is left is hung up on. All before Nest closes the database under them.
 */
@Injectable()
export class Drain implements OnModuleDestroy, BeforeApplicationShutdown {
  private draining = false;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly env: Env,
    private readonly captures: SyncCaptures,
  ) {}

  get isDraining(): boolean {
    return this.draining;
  }

  onModuleDestroy(): void {
    this.draining = true;
  }

  async beforeApplicationShutdown(): Promise<void> {
    const server = this.host.httpAdapter.getHttpServer() as Server;
    const cut = setTimeout(() => {
      server.closeAllConnections();
    }, this.env.SHUTDOWN_GRACE_MS);
    await new Promise((resolve) => server.close(resolve));
    clearTimeout(cut);
    // A caller who was cut off counts as hung up: its capture is canceled, which takes the database.
    await this.captures.settled();
  }
}
