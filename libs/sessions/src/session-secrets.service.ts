import { Injectable } from '@nestjs/common';
import type { BrowserState } from '@app/capture';
import { SecretBox } from '@app/kernel';
import type { Session } from './session.entity.js';

/** Encrypts what a session keeps secret. What belongs to one session, or to the other column, cannot be opened as this. */
@Injectable()
export class SessionSecretsService {
  constructor(private readonly secretBox: SecretBox) {}

  sealState(id: string, state: BrowserState): Buffer {
    return this.secretBox.seal({ ...state }, `${id} state`);
  }

  /** @throws AppError `secrets_unreadable` when SECRETS_KEY is another one than sealed it */
  openState({ id, state }: Pick<Session, 'id' | 'state'>): BrowserState | null {
    return state && (this.secretBox.open(state, `${id} state`) as unknown as BrowserState);
  }

  sealSecrets(id: string, secrets: Readonly<Record<string, string>>): Buffer | null {
    return Object.keys(secrets).length === 0 ? null : this.secretBox.seal(secrets, `${id} secrets`);
  }

  /** @throws AppError `secrets_unreadable` when SECRETS_KEY is another one than sealed it */
  openSecrets({ id, secrets }: Pick<Session, 'id' | 'secrets'>): Readonly<Record<string, unknown>> {
    return secrets ? this.secretBox.open(secrets, `${id} secrets`) : {};
  }
}
