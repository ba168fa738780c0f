import { Injectable, type NestMiddleware } from '@nestjs/common';
import { Env } from '@app/config';
import { AppError } from '@app/kernel';
import type { NextFunction, Request, Response } from 'express';

/** Lets requests to `/v1/admin` in only where ADMIN_PORT says; elsewhere there is nothing to be found, with any key or none. */
@Injectable()
export class AdminPortMiddleware implements NestMiddleware {
  constructor(private readonly env: Env) {}

  use(request: Request, _response: Response, next: NextFunction): void {
    const { ADMIN_PORT: port } = this.env;
    if (port === 0 || request.socket.localPort === port) next();
    else next(new AppError('not_found'));
  }
}
