import { Injectable, Logger } from '@nestjs/common';
import { SESSION_LIFE_S } from '@app/auth';
import { AppError, invalidRequest } from '@app/kernel';
import type { Request, Response } from 'express';
import { AuthThrottleService } from '../../http/auth/auth-throttle.service.js';
import { clientAddress } from '../../http/auth/client-address.js';
import { CONSOLE_PATH, sessionToken, setSessionCookie } from '../../http/auth/console-cookie.js';
import { refusalOf } from '../console-access.middleware.js';
import { consolePath } from './console-path.js';
import { IdentityProviderService } from './identity-provider.service.js';
import { SignOnCookieService } from './sign-on-cookie.service.js';
import { SignOnKeysService } from './sign-on-keys.service.js';
import { refusalPage, SignOnRefusal } from './sign-on-refusal.js';
import { SignOnSessionsService } from './sign-on-sessions.service.js';

const LOG_IN_PATH = `${CONSOLE_PATH}/log-in`;

/** Logs people in to the console by the provider, and leads them back to the page that they came from. */
@Injectable()
export class SignOnService {
  private readonly logger = new Logger(SignOnService.name);

  constructor(
    private readonly provider: IdentityProviderService,
    private readonly keys: SignOnKeysService,
    private readonly sessions: SignOnSessionsService,
    private readonly cookie: SignOnCookieService,
    private readonly throttle: AuthThrottleService,
  ) {}

  /**
   * Leads a browser to the provider.
   *
   * @param to the path of the console to show afterwards
   * @throws AppError `invalid_request` for a path that leads elsewhere, `unauthorized` when another site leads here
   */
  async begin(to: unknown, response: Response): Promise<void> {
    const { req: request } = response;
    requireOwnPage(request);
    const path = consolePath(to);
    if (path === undefined) {
      throw invalidRequest([
        { pointer: '/to', code: 'invalid', detail: 'must be the path of a page of the console' },
      ]);
    }
    await this.answer(response, async () => {
      const { url, checks } = await this.provider.begin(request);
      this.cookie.set(response, { checks, path, session: sessionToken(request) });
      return url;
    });
  }

  /** Takes the answer of the provider, to which another site leads: the cookie of the log-in says that this browser began it. */
  async finish(response: Response): Promise<void> {
    const address = clientAddress(response.req);
    await this.answer(response, async () => {
      if (!this.throttle.mayLookUp(address))
        throw new SignOnRefusal(429, 'Too many log-ins failed. Wait a minute.');
      try {
        return await this.logIn(response);
      } catch (error) {
        if (error instanceof SignOnRefusal) this.throttle.countFailure(address, new AppError('unauthorized'));
        throw error;
      }
    });
  }

  /** Ends the session here, whether the provider answers or not, and leads to the log-out of the provider. */
  async logOut(response: Response): Promise<void> {
    const { req: request } = response;
    requireOwnPage(request);
    const token = sessionToken(request);
    const idToken = token === undefined ? undefined : await this.sessions.end(token);
    setSessionCookie(response, null);
    await this.answer(response, async () => (await this.provider.logOutUrl(request, idToken)) ?? LOG_IN_PATH);
  }

  /** Leads to the address that `find` returns, or answers with a page that says why not. */
  private async answer(response: Response, find: () => Promise<string>): Promise<void> {
    try {
      response.redirect(303, await find());
    } catch (error) {
      if (!(error instanceof SignOnRefusal)) throw error;
      const { status, message, reason } = error;
      this.logger.warn({ status, reason }, `A log-in by single sign-on failed: ${message}`);
      response.status(status).type('html').send(refusalPage(error, LOG_IN_PATH));
    }
  }

  private async logIn(response: Response): Promise<string> {
    const begun = this.cookie.takeLogIn(response);
    if (!begun)
      throw new SignOnRefusal(400, 'The log-in has expired, or was begun in another browser. Log in again.');
    const identity = await this.provider.finish(response.req, begun.checks);
    const keyIds = await this.keys.admit(identity, response.req);
    const token = await this.sessions.enter(keyIds, begun.session, identity);
    if (token !== undefined) setSessionCookie(response, { token, lifeS: SESSION_LIFE_S });
    return begun.path;
  }
}

function requireOwnPage(request: Request): void {
  const refusal = refusalOf(request);
  if (refusal) throw refusal;
}
