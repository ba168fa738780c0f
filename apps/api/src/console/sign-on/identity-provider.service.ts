import { Injectable } from '@nestjs/common';
import type { ProviderLogOut } from '@app/auth';
import { Env } from '@app/config';
import type { Request } from 'express';
import { CONSOLE_PATH, SIGN_ON_PATH } from '../../http/auth/console-cookie.js';
import { baseUrlOf } from '../../http/base-url.js';
import type { Checks, Identity, OidcClient } from './oidc-client.js';
import { SignOnSettings } from './sign-on-settings.js';

/**
 * The OpenID Connect provider of the operator. Requests go to it directly and not through the guarded client: the operator
 * names it, it decides who an administrator is anyway, and it often is in a network that captures must not reach.
 */
@Injectable()
export class IdentityProviderService {
  private connected: Promise<OidcClient> | undefined;

  constructor(
    private readonly settings: SignOnSettings,
    private readonly env: Env,
  ) {}

  /** As `OidcClient.begin`. */
  async begin(request: Request): Promise<{ readonly url: string; readonly checks: Checks }> {
    return (await this.client()).begin(this.callbackOf(request));
  }

  /** As `OidcClient.finish`, of the callback that the request is. */
  async finish(request: Request, checks: Checks): Promise<Identity> {
    const callback = new URL(this.callbackOf(request));
    callback.search = new URL(request.originalUrl, callback).search;
    return (await this.client()).finish(callback, checks);
  }

  /** As `OidcClient.logOutUrl`; it leads back to the console. */
  async logOutUrl(request: Request, idToken: string | undefined): Promise<string | undefined> {
    return (await this.client()).logOutUrl(`${baseUrlOf(request, this.env)}${CONSOLE_PATH}`, idToken);
  }

  /** As `LogOutTokens.read`. */
  async readLogOut(logOutToken: string): Promise<ProviderLogOut> {
    return (await this.client()).logOutTokens.read(logOutToken);
  }

  private callbackOf(request: Request): string {
    return `${baseUrlOf(request, this.env)}${SIGN_ON_PATH}/callback`;
  }

  /** Connects when it is first needed, and again after a failure. */
  private async client(): Promise<OidcClient> {
    this.connected ??= import('./oidc-client.js').then((module) => module.OidcClient.connect(this.settings));
    try {
      return await this.connected;
    } catch (error) {
      this.connected = undefined;
      throw error;
    }
  }
}
