import type { ProviderLogOut } from '@app/auth';
import { createRemoteJWKSet, jwtVerify, type JWTVerifyGetKey } from 'jose';
import type { ServerMetadata } from 'openid-client';
import { SignOnRefusal } from './sign-on-refusal.js';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const TIMEOUT_MS = 10_000;
/** How old a token may be, and how much the clocks may differ. */
const MAX_AGE = '5 minutes';
const CLOCK_TOLERANCE_S = 60;

/** Reads the tokens by which the provider says that a person has logged out there (OpenID Connect Back-Channel Logout). */
export class LogOutTokens {
  private readonly keys: JWTVerifyGetKey | undefined;
  private readonly issuer: string;

  constructor(
    { issuer, jwks_uri: keys }: ServerMetadata,
    private readonly clientId: string,
  ) {
    this.issuer = issuer;
    if (keys !== undefined) this.keys = createRemoteJWKSet(new URL(keys), { timeoutDuration: TIMEOUT_MS });
  }

  /**
   * Whom the provider has logged out: with a `sid` its session of this name, otherwise all of the person.
   *
   * @throws SignOnRefusal for what is not a token of the provider for this service, or names neither a person nor a session
   */
  async read(token: string): Promise<ProviderLogOut> {
    try {
      if (!this.keys) throw new Error('The provider publishes no keys.');
      const { payload } = await jwtVerify(token, this.keys, {
        issuer: this.issuer,
        audience: this.clientId,
        maxTokenAge: MAX_AGE,
        clockTolerance: CLOCK_TOLERANCE_S,
        requiredClaims: ['jti', 'events'],
      });
      // An ID token, which the same keys sign, has no such event and has the nonce.
      const { iss = '', sub, sid, events, nonce } = payload;
      const isLogOut = typeof events === 'object' && events !== null && EVENT in events;
      if (!isLogOut || nonce !== undefined) throw new Error('The token is not a log-out token.');
      const session = typeof sid === 'string' ? `${iss} ${sid}` : null;
      if (sub !== undefined) return { person: `${iss} ${sub}`, session };
      if (session !== null) return { person: null, session };
      throw new Error('The token has neither sub nor sid.');
    } catch (error) {
      throw new SignOnRefusal(400, 'The log-out token is not valid.', (error as Error).message);
    }
  }
}
