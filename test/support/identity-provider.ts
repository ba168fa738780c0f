import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, type JWTPayload } from 'jose';
import Provider, { type JWK, type KoaContextWithOIDC } from 'oidc-provider';

/** Who logs in at the provider. */
export interface Visitor {
  readonly name: string;
  readonly groups?: readonly string[];
}

export const CLIENT = { id: 'capture-service', secret: 'the secret of the client' } as const;

/** A real OpenID Connect provider on this machine, at which the `visitor` logs in without a form. */
export class IdentityProvider {
  /** Null refuses the log-in. */
  visitor: Visitor | null = { name: 'alice', groups: [] };
  /** Whether the published keys are not those that sign. */
  isForged = false;
  /** Whether its tokens name its sessions (`sid`); what is registered afterwards gets it. */
  namesSessions = false;
  private readonly groups = new Map<string, readonly string[]>();
  private readonly key = newKey();
  private provider: Provider | undefined;

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  static async start(): Promise<IdentityProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const provider = new IdentityProvider(
      server,
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    );
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      provider.answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
    return provider;
  }

  /** The variables of a service that trusts it. */
  env(groups: string): Record<string, string> {
    return {
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_GROUPS: groups,
    };
  }

  /** Registers the services at these addresses as its client, which authenticates in the default way of the standard. */
  register(...urls: readonly string[]): void {
    this.registerWith('client_secret_basic', urls);
  }

  /** Registers them as a client that authenticates in the only way that the provider accepts; `none` is a public client. */
  registerWith(method: 'client_secret_basic' | 'client_secret_post' | 'none', urls: readonly string[]): void {
    this.provider = new Provider(this.issuer, {
      clientAuthMethods: [method],
      clients: [
        {
          client_id: CLIENT.id,
          ...(method !== 'none' && { client_secret: CLIENT.secret }),
          token_endpoint_auth_method: method,
          redirect_uris: urls.map((url) => `${url}/console/session/oidc/callback`),
          post_logout_redirect_uris: urls.map((url) => `${url}/console`),
          backchannel_logout_uri: `${urls[0] ?? ''}/console/session/oidc/back-channel`,
          backchannel_logout_session_required: this.namesSessions,
        },
      ],
      jwks: { keys: [this.key] },
      cookies: { keys: ['a key of cookies'] },
      fetch: fetchFromHere,
      claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
      features: {
        devInteractions: { enabled: false },
        backchannelLogout: { enabled: true },
        rpInitiatedLogout: { enabled: true, logoutSource: askToLogOut },
      },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: () => ({ sub, preferred_username: sub, groups: [...(this.groups.get(sub) ?? [])] }),
      }),
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId,
          accountId: oidc.session?.accountId,
        });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
    });
  }

  /** A token that the provider could have signed; of this service and for `alice` unless the claims say otherwise. */
  sign(claims: JWTPayload): Promise<string> {
    return new SignJWT({ iss: this.issuer, aud: CLIENT.id, sub: 'alice', jti: 'a token', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'signing' })
      .setIssuedAt()
      .sign(createPrivateKey({ key: { ...this.key }, format: 'jwk' }));
  }

  /** Rejects with the error of the provider when it cannot notify its clients of a log-out. */
  onceTold(): Promise<unknown> {
    const { provider } = this;
    return new Promise((resolve, reject) => {
      provider?.once('backchannel.success', resolve);
      provider?.once('backchannel.error', (_, error) => reject(error));
    });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { provider } = this;
    if (!provider) throw new Error('No client is registered');
    if (this.isForged && request.url === '/jwks') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ keys: [{ ...newKey(), d: undefined, p: undefined, q: undefined }] }));
    } else if (request.url?.startsWith('/interaction/')) {
      await provider.interactionFinished(request, response, this.decide());
    } else await provider.callback()(request, response);
  }

  private decide() {
    if (!this.visitor) return { error: 'access_denied', error_description: 'No.' };
    this.groups.set(this.visitor.name, this.visitor.groups ?? []);
    return { login: { accountId: this.visitor.name } };
  }
}

/** The provider sets a dispatcher that refuses addresses of this machine. */
function fetchFromHere(url: Parameters<typeof fetch>[0], options?: RequestInit): Promise<Response> {
  const own = { ...options, dispatcher: undefined };
  return fetch(url, own);
}

/** The provider's own page loads fonts from the web. */
function askToLogOut(context: KoaContextWithOIDC, form: string): void {
  const button = '<button form="op.logoutForm" name="logout" value="yes">Log out at the provider</button>';
  context.body = `<!doctype html><title>Log out</title>${form}${button}`;
}

function newKey(): JWK {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: 'signing', use: 'sig', alg: 'RS256' };
}
