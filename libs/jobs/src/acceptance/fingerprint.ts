import { createHash } from 'node:crypto';

/**
 * Returns 32 bytes that identify what a request asks for; the order and the spacing of its JSON make no difference.
 *
 * @param route the method and the path, such as `POST /v1/jobs`
 */
export function fingerprintOf(route: string, body: unknown): Buffer {
  return createHash('sha256')
    .update(`${route}\n${canonical(body)}`)
    .digest();
}

/** Makes the fingerprint of a request that is read piece by piece. */
export class RunningFingerprint {
  private readonly hash = createHash('sha256');

  /** @param start what is known before the pieces */
  constructor(route: string, start: unknown) {
    this.hash.update(`${route}\n`);
    this.add(start);
  }

  add(piece: unknown): void {
    this.hash.update(`${canonical(piece)}\n`);
  }

  /** Is called once, after the last piece. */
  digest(): Buffer {
    return this.hash.digest();
  }
}

/** JSON without white space and with the names of every object sorted. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${fields.join()}}`;
}
