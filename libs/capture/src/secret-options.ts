import { fieldsOf } from '@app/kernel';
import { CaptureOptions } from './options/index.js';

const REDACTED = '[redacted]';

const SECRET_NAMES: ReadonlySet<string> = new Set(
  fieldsOf(CaptureOptions)
    .filter(({ secret }) => secret)
    .map(({ name }) => name),
);

/** A secret that a row has lifted is null, and nothing to hide. */
function isSecret([name, value]: readonly [string, unknown]): boolean {
  return SECRET_NAMES.has(name) && value !== null;
}

/** Given options in two: what may be stored and shown, and what is to be encrypted; null when there is none. */
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

/** The other way round: what is still known of stored options, and the names of the secrets that are not. */
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
