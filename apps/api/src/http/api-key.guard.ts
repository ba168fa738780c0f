import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthService } from '@app/auth';
import type { Request } from 'express';
import { PUBLIC } from './caller.js';

const BEARER = /^Bearer +(\S+)$/i;

/** Lets a request pass only with a valid key, on every route that does not say `@Public()`. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly auth: AuthService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.getAllAndOverride(PUBLIC, [context.getHandler(), context.getClass()])) return true;
    const request = context.switchToHttp().getRequest<Request>();
    request.caller = await this.auth.authenticate(presentedKey(request));
    return true;
  }
}

/** Never the query string: URLs end up in logs and histories. */
function presentedKey(request: Request): string | undefined {
  const [, bearer] = BEARER.exec(request.get('authorization') ?? '') ?? [];
  return bearer ?? request.get('x-api-key');
}
