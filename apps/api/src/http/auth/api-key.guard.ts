import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Caller } from '@app/auth';
import { setAccount } from '@app/database';
import { AppError } from '@app/kernel';
import type { Request } from 'express';
import { AuthThrottleService } from './auth-throttle.service.js';
import { PUBLIC } from './caller.js';
import { CallerService } from './caller.service.js';
import { SCOPE, type RouteScope } from './scope.js';
import { clientAddress } from './client-address.js';

/**
 * Requires a valid key, or the console's session with one, on every route that is not marked `@Public()`, and the scope that the
 * route needs.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly callers: CallerService,
    private readonly throttle: AuthThrottleService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride(PUBLIC, route)) return true;
    const scope = this.reflector.getAllAndOverride<RouteScope | undefined>(SCOPE, route);
    if (scope === undefined) throw new Error('The route does not say which scope it needs.');
    const request = context.switchToHttp().getRequest<Request>();
    request.caller = await this.authenticate(request);
    setAccount(request.caller.accountId);
    if (scope !== 'any' && !request.caller.scopes.includes(scope)) {
      throw new AppError('scope_missing', { detail: `The route needs a key with the scope ${scope}.` });
    }
    return true;
  }

  private async authenticate(request: Request): Promise<Caller> {
    const address = clientAddress(request);
    try {
      return await this.callers.identify(request, () => this.throttle.mayLookUp(address));
    } catch (error) {
      const isUnauthorized = error instanceof AppError && error.code === 'unauthorized';
      throw isUnauthorized ? this.throttle.countFailure(address, error) : error;
    }
  }
}
