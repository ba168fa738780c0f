import { createHash } from 'node:crypto';
import { canonicalJson } from '@app/kernel';

/**
 * Returns 32 bytes that identify what a request asks for; the order and the spacing of its JSON make no difference.
 *
 * @param route the method and the path, such as `POST /v1/jobs`
 */
export function fingerprintOf(route: string, body: unknown): Buffer {
  return createHash('sha256')
    .update(`${route}\n${canonicalJson(body)}`)
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
    this.hash.update(`${canonicalJson(piece)}\n`);
  }

  /** Is called once, after the last piece. */
  digest(): Buffer {
    return this.hash.digest();
  }
}
