import { SigningSecretsService } from '@app/auth';
import { signLink } from '../../apps/api/src/links/link-signature.js';
import type { TestApi } from './api.js';
import type { Client } from './client.js';

/** Signs links for a key of the API, as an integrator's program would. */
export class LinkSigner {
  private constructor(
    readonly keyId: string,
    readonly secrets: SigningSecretsService,
    private readonly url: string,
  ) {}

  /** The signer for the key of a client; the key may have links without an expiry if the spec says so. */
  static async create(
    { app, url }: Pick<TestApi, 'app' | 'url'>,
    client: Client,
    { linksExpire = true } = {},
  ): Promise<LinkSigner> {
    const { key } = client as unknown as { key: string };
    const [, keyId = ''] = key.split('_');
    const secrets = app.get(SigningSecretsService, { strict: false });
    await secrets.ensure(keyId);
    if (!linksExpire) await secrets.setLinksExpire(keyId, false);
    return new LinkSigner(keyId, secrets, url);
  }

  async secret(): Promise<string> {
    return (await this.secrets.ensure(this.keyId))?.current.secret ?? '';
  }

  /** A link of this query, as it is, with the key before it. */
  async link(query: string): Promise<string> {
    return `${this.url}/v1/render?${signLink(await this.secret(), `key=${this.keyId}&${query}`)}`;
  }
}

/** The field that lets a link expire in some seconds. */
export const expiresIn = (seconds: number): string => `expires=${Math.floor(Date.now() / 1_000) + seconds}`;
