import * as oidc from 'openid-client';
import { LogOutTokens } from './log-out-token.js';
import { refusalOf, unreachable } from './provider-refusal.js';
import type { SignOnSettings } from './sign-on-settings.js';

/** What the answer of the provider must fit. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  /** The secret of PKCE: who has the code alone cannot use it. */
  readonly verifier: string;
}

/** Whom the provider has let in. */
export interface Identity {
  /** The issuer and its subject. */
  readonly id: string;
  readonly name: string;
  readonly groups: readonly string[];
  /** The issuer and its name for the session that it has with the person (`sid`); null where it gives none. */
  readonly session: string | null;
  readonly idToken: string;
}

type Claims = oidc.IDToken & Partial<oidc.UserInfoResponse>;

/** Time within which the provider must answer each request. */
const TIMEOUT_S = 10;
const MAX_NAME = 100;

/** Calls the provider: authorization code with PKCE, state and nonce, and ID tokens whose signature is checked. */
export class OidcClient {
  readonly logOutTokens: LogOutTokens;

  private constructor(
    private readonly settings: SignOnSettings,
    private readonly configuration: oidc.Configuration,
  ) {
    this.logOutTokens = new LogOutTokens(configuration.serverMetadata(), settings.clientId);
  }

  /**
   * Reads the metadata of the provider (OpenID Connect Discovery).
   *
   * @throws SignOnRefusal when it cannot be reached
   */
  static async connect(settings: SignOnSettings): Promise<OidcClient> {
    const { issuer, clientId, clientSecret } = settings;
    try {
      const configuration = await oidc.discovery(
        issuer,
        clientId,
        undefined,
        authenticationOf(clientSecret),
        // Env refuses http but for this machine.
        { timeout: TIMEOUT_S, execute: issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [] },
      );
      oidc.enableNonRepudiationChecks(configuration);
      return new OidcClient(settings, configuration);
    } catch (error) {
      throw unreachable(error);
    }
  }

  /** The address at the provider where a person logs in, and what its answer must fit. */
  async begin(callback: string): Promise<{ readonly url: string; readonly checks: Checks }> {
    const checks = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    };
    const url = oidc.buildAuthorizationUrl(this.configuration, {
      redirect_uri: callback,
      scope: this.settings.scope,
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, checks };
  }

  /**
   * Exchanges the code in the address of a callback for the person that it stands for.
   *
   * @throws SignOnRefusal when the provider refuses, does not answer, or gives an answer that does not fit
   */
  async finish(callback: URL, { state, nonce, verifier }: Checks): Promise<Identity> {
    try {
      const tokens = await oidc.authorizationCodeGrant(this.configuration, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      const { id_token: idToken, access_token: accessToken } = tokens;
      if (!claims || idToken === undefined) throw new Error('The provider has sent no ID token.');
      return this.identityOf(await this.complete(claims, accessToken), idToken);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /**
   * The address at the provider that ends its own session and leads to `home`; undefined where it has none. By the ID token the
   * provider knows who logs out, and needs not ask.
   */
  logOutUrl(home: string, idToken: string | undefined): string | undefined {
    if (this.configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
    return oidc.buildEndSessionUrl(this.configuration, {
      post_logout_redirect_uri: home,
      ...(idToken !== undefined && { id_token_hint: idToken }),
    }).href;
  }

  /** Many providers keep the ID token short, and give groups and names at userinfo only. */
  private async complete(claims: oidc.IDToken, accessToken: string): Promise<Claims> {
    const isComplete = claims[this.settings.groupsClaim] !== undefined;
    if (isComplete || this.configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    return { ...(await oidc.fetchUserInfo(this.configuration, accessToken, claims.sub)), ...claims };
  }

  private identityOf(claims: Claims, idToken: string): Identity {
    const { iss, sub, sid, preferred_username: username, email, name } = claims;
    const groups = claims[this.settings.groupsClaim];
    const called = [username, email, name]
      .filter((each) => typeof each === 'string')
      .map((each) => each.replace(/\p{C}/gu, '').slice(0, MAX_NAME).trim())
      .find((each) => each !== '');
    return {
      id: `${iss} ${sub}`,
      name: called ?? sub.slice(0, MAX_NAME),
      groups: [groups].flat().filter((group) => typeof group === 'string'),
      session: typeof sid === 'string' ? `${iss} ${sid}` : null,
      idToken,
    };
  }
}

/** By `client_secret_basic`, the default of the standard, unless the provider says that it accepts the other one only. */
function authenticationOf(secret: string | undefined): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (...request) => {
    const [server] = request;
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (methods.includes('client_secret_basic') ? basic : post)(...request);
  };
}
