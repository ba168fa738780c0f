import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeWhole } from './files.mjs';

const secretsKeyFile = (dataDir) => path.join(dataDir, 'secrets-key');

/**
 * The key that encrypts secrets at rest: 32 bytes in base64, made once. Losing it loses the secrets of waiting captures
 * and those that webhooks are signed with.
 */
export function secretsKey(dataDir) {
  const known = knownSecretsKey(dataDir);
  if (known === undefined) writeWhole(secretsKeyFile(dataDir), randomBytes(32).toString('base64'));
  return known ?? secretsKey(dataDir);
}

/** The same, undefined when it was never made. */
export function knownSecretsKey(dataDir) {
  const file = secretsKeyFile(dataDir);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** Where the first API key lies, so that the printed command can read it. */
export const apiKeyFile = (dataDir) => path.join(dataDir, 'api-key');

export function saveApiKey(dataDir, key) {
  writeWhole(apiKeyFile(dataDir), `${key}\n`);
}
