import { Injectable } from '@nestjs/common';
import { Clock, SecretBox } from '@app/kernel';
import type { Request, Response } from 'express';
import { cookieOf, SIGN_ON_PATH } from '../../http/auth/console-cookie.js';
import type { Checks } from './oidc-client.js';

/** A log-in that was begun and that the provider has to answer. */
export interface BegunLogIn {
  readonly checks: Checks;
  /** The path of the console to show afterwards. */
  readonly path: string;
  /** The token of the session that the browser had, whose keys stay. */
  readonly session: string | undefined;
}

/** How long the log-in at the provider may take. */
const LIFE_S = 600;
const NAME = 'capture_console_oidc';
const PURPOSE = 'console sign-on';

/**
 * Keeps a log-in that was begun in the browser that began it, encrypted: nobody can make a browser finish the log-in of
 * another person, and people who begin log-ins without end fill no table.
 */
@Injectable()
export class SignOnCookieService {
  constructor(
    private readonly box: SecretBox,
    private readonly clock: Clock,
  ) {}

  set(response: Response, logIn: BegunLogIn): void {
    const until = this.clock.now().getTime() + LIFE_S * 1_000;
    const sealed = this.box.seal({ ...logIn, until }, PURPOSE).toString('base64url');
    response.cookie(NAME, sealed, { ...attributesOf(response), maxAge: LIFE_S * 1_000 });
  }

  /** Reads the log-in and removes it from the browser; undefined when there is none that may still be finished. */
  takeLogIn(response: Response): BegunLogIn | undefined {
    response.clearCookie(NAME, attributesOf(response));
    const logIn = this.open(response.req);
    return logIn && logIn.until > this.clock.now().getTime() ? logIn : undefined;
  }

  private open(request: Request): (BegunLogIn & { readonly until: number }) | undefined {
    const sealed = cookieOf(request, NAME);
    if (sealed === undefined) return undefined;
    try {
      // What this service has sealed has this shape.
      return this.box.open(Buffer.from(sealed, 'base64url'), PURPOSE) as unknown as BegunLogIn & {
        until: number;
      };
    } catch {
      return undefined;
    }
  }
}

/** The provider leads back to the callback from another site, which a stricter cookie would not survive. */
function attributesOf({ req: { secure } }: Response) {
  return { httpOnly: true, sameSite: 'lax', secure, path: SIGN_ON_PATH } as const;
}
