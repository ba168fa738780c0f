import { Injectable } from '@nestjs/common';
import { ConsoleSessionsService } from '@app/auth';
import { AppError, SecretBox } from '@app/kernel';
import type { Identity } from './oidc-client.js';
import { SignOnSettings } from './sign-on-settings.js';

/**
 * The longest ID token that is kept. The log-out carries it in an address, and proxies refuse answers whose headers are longer
 * than 4 KiB. Without it the provider asks whether to log out.
 */
const MAX_ID_TOKEN = 3_000;
const PURPOSE = 'console id token';

/** The sessions of people whom the provider has let in. They keep the ID token, encrypted, for the log-out there. */
@Injectable()
export class SignOnSessionsService {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly box: SecretBox,
    private readonly settings: SignOnSettings,
  ) {}

  /** As `ConsoleSessionsService.enter`. */
  enter(
    keyIds: readonly string[],
    current: string | undefined,
    { session, idToken }: Pick<Identity, 'session' | 'idToken'>,
  ): Promise<string | undefined> {
    const isKept = idToken.length <= MAX_ID_TOKEN;
    return this.sessions.enter(keyIds, current, {
      lifeS: this.settings.sessionS,
      provider: { id: session, idToken: isKept ? this.box.seal({ idToken }, PURPOSE) : null },
    });
  }

  /** Ends a session. Returns the ID token of its last log-in by single sign-on; undefined when there is none that can be read. */
  async end(token: string): Promise<string | undefined> {
    const sealed = await this.sessions.end(token);
    if (!sealed) return undefined;
    try {
      return String(this.box.open(sealed, PURPOSE).idToken);
    } catch (error) {
      // SECRETS_KEY has changed since the log-in.
      if (error instanceof AppError) return undefined;
      throw error;
    }
  }
}
