/**
 * A signed link is `/v1/render?<query>&signature=v1.<HMAC-SHA256>`. The signed text is `v1`, `GET` and `/v1/render`, a line
 * each, followed by the query exactly as it is sent, up to `&signature=`. Nothing is sorted, decoded or encoded again, so
 * that the signer and the verifier cannot disagree about it.
 *
 * Everything here is a function of bytes: Node gives each byte of a request line as one character (Latin 1).
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { RENDER_PATH } from '../http/cross-origin.js';

const VERSION = 'v1';
const SIGNED_HEAD = `${VERSION}\nGET\n${RENDER_PATH}\n`;
const SEPARATOR = '&signature=';
const SIGNATURE = /^v1\.([A-Za-z0-9_-]{43})$/;
const DIGEST_BYTES = 32;

/** The key is found before the signature is verified, so that its name and value must be written as they are. */
const KEY = /(?:^|&)key=([0-9A-Za-z]{16})(?=&|$)/;

/** The parts of a link, none of which is verified. */
export interface LinkParts {
  /** Everything between `?` and `&signature=`. */
  readonly signed: string;
  readonly keyId: string | undefined;
  /** Undefined if there is none, or none of the canonical form. */
  readonly signature: Buffer | undefined;
}

/** The query of a request target, which Node does not parse. */
export function queryOf(target: string): string {
  const at = target.indexOf('?');
  return at < 0 ? '' : target.slice(at + 1);
}

/** @param query as it was sent, without `?` */
export function splitLink(query: string): LinkParts {
  const at = query.lastIndexOf(SEPARATOR);
  if (at < 0) return { signed: query, keyId: undefined, signature: undefined };
  const signed = query.slice(0, at);
  return { signed, keyId: KEY.exec(signed)?.[1], signature: decode(query.slice(at + SEPARATOR.length)) };
}

/**
 * Whether one of the secrets signed the link. It takes the same time for a wrong signature, none, and no secret.
 *
 * @param secrets of the key, at most two; none if the key is unknown
 */
export function isSignedBy(secrets: readonly string[], { signed, signature }: LinkParts): boolean {
  const given = signature ?? Buffer.alloc(DIGEST_BYTES);
  const matches = [0, 1].map((i) => timingSafeEqual(digest(secrets[i] ?? '', signed), given));
  return signature !== undefined && secrets.some((_, i) => matches[i]);
}

/** The whole query of a link. @param query of ASCII characters, which has been encoded */
export function signLink(secret: string, query: string): string {
  return `${query}${SEPARATOR}${VERSION}.${digest(secret, query).toString('base64url')}`;
}

function digest(secret: string, signed: string): Buffer {
  return createHmac('sha256', secret).update(SIGNED_HEAD, 'latin1').update(signed, 'latin1').digest();
}

/** 43 characters hold two bits more than the digest has: they must be zero, so that a link has one spelling only. */
function decode(text: string): Buffer | undefined {
  const [, encoded] = SIGNATURE.exec(text) ?? [];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64url');
  return bytes.toString('base64url') === encoded ? bytes : undefined;
}
