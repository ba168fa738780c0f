import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeWhole } from './files.mjs';

/** The key that encrypts secrets at rest: 32 bytes in base64, made once. Losing it loses the secrets of waiting captures. */
export function secretsKey(dataDir) {
  const file = path.join(dataDir, 'secrets-key');
  if (!existsSync(file)) writeWhole(file, randomBytes(32).toString('base64'));
  return readFileSync(file, 'utf8').trim();
}

/** Where the first API key lies, so that the printed command can read it. */
export const apiKeyFile = (dataDir) => path.join(dataDir, 'api-key');

export function saveApiKey(dataDir, key) {
  writeWhole(apiKeyFile(dataDir), `${key}\n`);
}
