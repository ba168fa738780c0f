/**
 * The format of a key: `cap_<key id>_<secret><checksum>`, in base62, so that a double click selects all of it.
 *
 *   cap_   lets scanners of leaked secrets recognise it
 *   id     16 characters; identifies the row, may be shown and logged
 *   secret 32 characters, 190 random bits; only its SHA-256 is stored
 *   check  6 characters, the CRC-32 of everything before it, so that a typing error is refused without a database lookup
 */
import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 16;
const SECRET_LENGTH = 32;
const SIGNING_SECRET_LENGTH = 43;
/** 62^6 holds every CRC-32. */
const CHECKSUM_LENGTH = 6;
const KEY_LENGTH = 'cap_'.length + ID_LENGTH + '_'.length + SECRET_LENGTH + CHECKSUM_LENGTH;
const KEY = /^cap_([0-9A-Za-z]{16})_([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export interface KeyParts {
  readonly id: string;
  readonly secret: string;
}

export function generateKey(): KeyParts & { readonly key: string } {
  return generateSecret(randomText(ID_LENGTH));
}

/** Another secret of the key with this id. */
export function generateSecret(id: string): KeyParts & { readonly key: string } {
  const secret = randomText(SECRET_LENGTH);
  const body = `cap_${id}_${secret}`;
  return { id, secret, key: body + checksum(body) };
}

/** The parts of a well-formed key; undefined for any other text, however long it is. */
export function parseKey(text: string): KeyParts | undefined {
  if (text.length !== KEY_LENGTH) return undefined;
  const [, id, secret, check] = KEY.exec(text) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  return check === checksum(`cap_${id}_${secret}`) ? { id, secret } : undefined;
}

/**
 * A secret that signs links: `cls_` and 43 characters, 256 random bits. Its bytes as text are the key of the HMAC, so that
 * no recipe needs to decode it.
 */
export function generateSigningSecret(): string {
  return `cls_${randomText(SIGNING_SECRET_LENGTH)}`;
}

/** A fast hash is enough: the secret is random, so there is no dictionary to try. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}
