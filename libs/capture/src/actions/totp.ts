import { createHmac } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;
const DIGITS = 6;
/** RFC 4226 asks for 16 bytes; older seeds have 10. */
const MIN_BYTES = 10;

/** The bytes of a Base32 seed (RFC 4648), whose spaces, hyphens, case and padding do not matter; undefined when it is none. */
function bytesOf(seed: string): Buffer | undefined {
  const text = seed.replace(/[\s-]/g, '').replace(/=+$/, '').toUpperCase();
  let bits = 0;
  let value = 0;
  const bytes: number[] = [];
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit === -1) return undefined;
    value = ((value << 5) | digit) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return bytes.length < MIN_BYTES ? undefined : Buffer.from(bytes);
}

/** Whether a text is the Base32 seed of an authenticator. */
export function isTotpSeed(text: string): boolean {
  return bytesOf(text) !== undefined;
}

/**
 * The code of an authenticator at an instant: RFC 6238 with HMAC-SHA-1, steps of 30 seconds and 6 digits, as all of them have.
 *
 * @throws RangeError when the seed is not Base32
 */
export function totpCode(seed: string, atMs: number): string {
  const key = bytesOf(seed);
  if (!key) throw new RangeError('The seed is not Base32');
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / STEP_MS)));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}
