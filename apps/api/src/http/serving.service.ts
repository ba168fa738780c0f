import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';

/**
 * How far the API is on its way out:
 *
 *   serving → draining (not ready any more, requests are still taken) → closing (what waits ends)
 *
 * From draining on every answer says `Connection: close`, so that clients come back on a new connection, which a
 * load balancer leads elsewhere.
 */
@Injectable()
export class ServingService {
  private readonly open = new Set<ServerResponse>();
  private readonly end = new AbortController();
  private draining = false;

  get isDraining(): boolean {
    return this.draining;
  }

  /** Aborts when answers that only wait for something are to end. */
  get closing(): AbortSignal {
    return this.end.signal;
  }

  drain(): void {
    this.draining = true;
    for (const response of this.open) response.shouldKeepAlive = false;
  }

  close(): void {
    this.end.abort();
  }

  /** Of every request; an answer that is being worked on when draining begins is told, too. */
  readonly track = (_request: Request, response: Response, next: NextFunction): void => {
    if (this.draining) response.shouldKeepAlive = false;
    this.open.add(response);
    response.once('close', () => this.open.delete(response));
    next();
  };
}
