import { Injectable } from '@nestjs/common';
import { AuthService, ConsoleSessionsService, isInRanges, type Caller } from '@app/auth';
import { AppError } from '@app/kernel';
import type { Request } from 'express';
import { ClientOriginService } from './client-origin.service.js';
import { sessionToken } from './console-cookie.js';

const BEARER = /^Bearer +(\S+)$/i;

/** Finds the caller of a request, by its key or by the console's session. */
@Injectable()
export class CallerService {
  constructor(
    private readonly auth: AuthService,
    private readonly sessions: ConsoleSessionsService,
    private readonly origins: ClientOriginService,
  ) {}

  /**
   * @param mayLookUp as in `AuthService.authenticate`
   * @throws AppError `unauthorized`, `address_forbidden` when the key may not be used from the address of the client
   */
  async identify(request: Request, mayLookUp: () => boolean = () => true): Promise<Caller> {
    const caller = await this.find(request, mayLookUp);
    const { allowedIps } = caller;
    if (allowedIps === null || isInRanges(allowedIps, this.origins.addressOf(request))) return caller;
    throw new AppError('address_forbidden');
  }

  private async find(request: Request, mayLookUp: () => boolean): Promise<Caller> {
    const { consoleKeyId } = request;
    if (consoleKeyId === undefined) return this.auth.authenticate(presentedKey(request), mayLookUp);
    return this.sessions.callerOf(sessionToken(request), consoleKeyId, mayLookUp);
  }
}

/** The key that the request carries. Never read from the query string: URLs end up in logs and histories. */
export function presentedKey(request: Request): string | undefined {
  const [, bearer] = BEARER.exec(request.get('authorization') ?? '') ?? [];
  return bearer ?? request.get('x-api-key');
}
