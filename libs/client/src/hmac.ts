/** HMAC-SHA256 by WebCrypto, which Node, browsers and Deno have. */
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

export type Bytes = Uint8Array<ArrayBuffer>;

export async function hmacSign(secret: Bytes, text: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', await keyOf(secret), text));
}

/** Takes the same time for every signature. */
export async function hmacVerify(secret: Bytes, signature: Bytes, text: Bytes): Promise<boolean> {
  return crypto.subtle.verify('HMAC', await keyOf(secret), signature, text);
}

function keyOf(secret: Bytes): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', secret, ALGORITHM, false, ['sign', 'verify']);
}

export function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}

export function toBase64Url(bytes: Bytes): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** The bytes that a text in base64 encodes; undefined if it is none. */
export function fromBase64(text: string): Bytes | undefined {
  // `atob` also takes spaces.
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  } catch {
    return undefined;
  }
}
