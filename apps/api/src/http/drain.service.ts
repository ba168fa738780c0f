import type { Server, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Env } from '@app/config';
import type { NextFunction, Request, Response } from 'express';

const SWEEP_MS = 100;

/**
 * Shuts the HTTP server down without failing requests, before Nest closes the database:
 *
 *   serving → draining (not ready, but requests are accepted until load balancers have noticed)
 *           → closing (no new connections; waiting responses end, the others have SHUTDOWN_GRACE_MS) → closed
 *
 * While draining, every response says `Connection: close`: clients reconnect, and a load balancer sends them elsewhere.
 */
@Injectable()
export class DrainService implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly responses = new Set<ServerResponse>();
  private readonly work = new Set<Promise<unknown>>();
  private readonly close = new AbortController();
  private draining = false;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly env: Env,
  ) {}

  get isDraining(): boolean {
    return this.draining;
  }

  /** Aborts when responses that only wait for something must end. */
  get closing(): AbortSignal {
    return this.close.signal;
  }

  /** Middleware that knows every open response, so that one in progress announces the end of its connection, too. */
  readonly track = (_request: Request, response: Response, next: NextFunction): void => {
    if (this.draining) response.shouldKeepAlive = false;
    this.responses.add(response);
    response.once('close', () => this.responses.delete(response));
    next();
  };

  /** Settles as `work` does; the shutdown waits for it, even when the connection of its caller is cut. */
  async finish<T>(work: Promise<T>): Promise<T> {
    this.work.add(work);
    return work.finally(() => this.work.delete(work));
  }

  onModuleDestroy(): void {
    this.draining = true;
    for (const response of this.responses) response.shouldKeepAlive = false;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await sleep(this.env.SHUTDOWN_DELAY_MS);
    const server = this.host.httpAdapter.getHttpServer() as Server;
    const cut = setTimeout(() => {
      server.closeAllConnections();
    }, this.env.SHUTDOWN_GRACE_MS);
    const closed = new Promise((resolve) => server.close(resolve));
    this.close.abort();
    // A stream that began before draining said `keep-alive`: its connection may become idle only after `server.close`.
    const sweep = setInterval(() => {
      server.closeIdleConnections();
    }, SWEEP_MS);
    await closed;
    clearInterval(sweep);
    clearTimeout(cut);
    // A caller whose connection was cut counts as disconnected: its capture is canceled, which needs the database.
    await Promise.allSettled(this.work);
  }
}
