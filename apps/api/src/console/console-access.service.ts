import { Injectable } from '@nestjs/common';
import { ConsoleSessionsService, SESSION_LIFE_S, type Session, type SessionKey } from '@app/auth';
import { Env } from '@app/config';
import { AppError } from '@app/kernel';
import { AccountsService } from '@app/usage';
import type { Request, Response } from 'express';
import { AuthThrottleService } from '../http/auth/auth-throttle.service.js';
import { clientAddress } from '../http/auth/client-address.js';
import { sessionToken, setSessionCookie } from '../http/auth/console-cookie.js';
import { toKeys, type ConsoleSession } from './console-session.response.js';
import type { LogInRequest } from './log-in.request.js';

/** Logs in to the console and out of it. Failures count for the client's address like those of wrong keys. */
@Injectable()
export class ConsoleAccessService {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly accounts: AccountsService,
    private readonly throttle: AuthThrottleService,
    private readonly env: Env,
  ) {}

  /**
   * The keys of the session that the request belongs to: none without a session, which is no error.
   *
   * @throws AppError `rate_limited`
   */
  async read(request: Request): Promise<ConsoleSession> {
    const address = clientAddress(request);
    let isThrottled = false;
    const keys = await this.sessions.keysOf(sessionToken(request), () => {
      isThrottled = !this.throttle.mayLookUp(address);
      return !isThrottled;
    });
    // Nothing was looked up: the session may well be there.
    if (isThrottled) throw this.throttle.countFailure(address, new AppError('unauthorized'));
    return this.describe(keys);
  }

  /** @throws AppError `unauthorized`, `rate_limited` */
  async logIn(request: LogInRequest, response: Response): Promise<ConsoleSession> {
    const session = await this.enter(request, response.req);
    setSessionCookie(response, { token: session.token, lifeS: SESSION_LIFE_S });
    return this.describe(session.keys);
  }

  async removeKey(keyId: string, response: Response): Promise<ConsoleSession> {
    const token = sessionToken(response.req);
    if (token !== undefined) await this.sessions.removeKey(token, keyId);
    const left = await this.read(response.req);
    if (left.keys.length === 0) await this.end(token, response);
    return left;
  }

  /** Ends the session, if there is one. */
  async end(token: string | undefined, response: Response): Promise<void> {
    if (token !== undefined) await this.sessions.end(token);
    setSessionCookie(response, null);
  }

  private async enter({ key, log_in: logIn }: LogInRequest, request: Request): Promise<Session> {
    const address = clientAddress(request);
    const current = sessionToken(request);
    const mayLookUp = (): boolean => this.throttle.mayLookUp(address);
    try {
      if (logIn !== undefined) return await this.sessions.redeem(logIn, current, mayLookUp);
      return await this.sessions.logIn(key ?? '', current, mayLookUp);
    } catch (error) {
      const isUnauthorized = error instanceof AppError && error.code === 'unauthorized';
      throw isUnauthorized ? this.throttle.countFailure(address, error) : error;
    }
  }

  private async describe(keys: readonly SessionKey[]): Promise<ConsoleSession> {
    const has_single_sign_on = this.env.OIDC_ISSUER !== undefined;
    if (keys.length === 0) return { keys: [], has_single_sign_on };
    const accounts = await this.accounts.listByIds(keys.map(({ accountId }) => accountId));
    return { keys: toKeys(keys, new Map(accounts.map(({ id, name }) => [id, name]))), has_single_sign_on };
  }
}
