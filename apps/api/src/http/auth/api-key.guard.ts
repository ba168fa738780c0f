import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthService, type Caller } from '@app/auth';
import { AppError } from '@app/kernel';
import type { Request } from 'express';
import { AuthThrottleService } from './auth-throttle.service.js';
import { PUBLIC } from './caller.js';
import { clientAddress } from './client-address.js';

const BEARER = /^Bearer +(\S+)$/i;

/** Requires a valid key on every route that is not marked `@Public()`. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly auth: AuthService,
    private readonly throttle: AuthThrottleService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.getAllAndOverride(PUBLIC, [context.getHandler(), context.getClass()])) return true;
    const request = context.switchToHttp().getRequest<Request>();
    request.caller = await this.authenticate(request);
    return true;
  }

  private async authenticate(request: Request): Promise<Caller> {
    const address = clientAddress(request);
    try {
      return await this.auth.authenticate(presentedKey(request), () => this.throttle.mayLookUp(address));
    } catch (error) {
      const isUnauthorized = error instanceof AppError && error.code === 'unauthorized';
      throw isUnauthorized ? this.throttle.countFailure(address, error) : error;
    }
  }
}

/** The key that the request carries. Never read from the query string: URLs end up in logs and histories. */
export function presentedKey(request: Request): string | undefined {
  const [, bearer] = BEARER.exec(request.get('authorization') ?? '') ?? [];
  return bearer ?? request.get('x-api-key');
}
