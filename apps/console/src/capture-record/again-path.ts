/** What a record shows instead of a secret. It is not the secret, and must not be sent. */
export const REDACTED = '[redacted]';

/** The page of the form with these options, such as those of a record. */
export function againPath(options: Readonly<Record<string, unknown>>): string {
  return `/capture?options=${encodeURIComponent(JSON.stringify(options))}`;
}
