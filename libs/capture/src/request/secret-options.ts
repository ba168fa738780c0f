import { OPTIONS } from './capture-options.js';

const REDACTED = '[redacted]';

/** The names of the options whose values are secret. */
export const SECRET_OPTIONS: readonly string[] = [...OPTIONS.values()]
  .filter(({ exposure }) => exposure === 'secret')
  .map(({ name }) => name);

/** A secret that a row unset is null, which is not secret. */
function isSecret([name, value]: readonly [string, unknown]): boolean {
  return SECRET_OPTIONS.includes(name) && value !== null;
}

/** Splits options into those to store and show, and those to encrypt; null when there are none. */
export function splitSecrets(given: Readonly<Record<string, unknown>>): {
  open: Record<string, unknown>;
  secrets: Record<string, unknown> | null;
} {
  const entries = Object.entries(given);
  const secret = entries.filter(isSecret);
  const open = entries.map((entry) => (isSecret(entry) ? ([entry[0], REDACTED] as const) : entry));
  return {
    open: Object.fromEntries(open),
    secrets: secret.length > 0 ? Object.fromEntries(secret) : null,
  };
}

/** The reverse: the stored options that are still known, and the names of the secrets that are not. */
export function statedOptions(open: Readonly<Record<string, unknown>>): {
  stated: Record<string, unknown>;
  gone: string[];
} {
  const entries = Object.entries(open);
  return {
    stated: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    gone: entries.filter(isSecret).map(([name]) => name),
  };
}
