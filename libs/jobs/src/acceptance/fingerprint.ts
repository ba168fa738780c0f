import { createHash } from 'node:crypto';

/**
 * What a request asks for, in 32 bytes: the same however its body was written down.
 *
 * @param route with its method: `POST /v1/jobs`
 */
export function fingerprintOf(route: string, body: unknown): Buffer {
  return createHash('sha256')
    .update(`${route}\n${canonical(body)}`)
    .digest();
}

/** The fingerprint of a request that is read piece by piece. */
export class RunningFingerprint {
  private readonly hash = createHash('sha256');

  /** @param begin what is known before the pieces */
  constructor(route: string, begin: unknown) {
    this.hash.update(`${route}\n`);
    this.add(begin);
  }

  add(piece: unknown): void {
    this.hash.update(`${canonical(piece)}\n`);
  }

  /** After the last piece, once. */
  digest(): Buffer {
    return this.hash.digest();
  }
}

/** JSON without white space, the names of every object in order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${fields.join()}}`;
}
