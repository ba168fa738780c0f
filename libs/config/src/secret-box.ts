import { SecretBox, StartupError } from '@app/kernel';
import type { Env } from './env.js';

/** @throws StartupError when SECRETS_KEY is not set. */
export function secretBoxOf({ SECRETS_KEY }: Env): SecretBox {
  if (SECRETS_KEY === undefined) {
    throw new StartupError(
      'SECRETS_KEY is not set. Generate one with `openssl rand -base64 32` and set it for every process.',
    );
  }
  return new SecretBox(SECRETS_KEY);
}
