import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { AppError } from './errors/app-error.js';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DIGEST_BYTES = 32;

/** Encrypts secrets for the database (AES-256-GCM; nonce, tag and ciphertext in one buffer). */
export class SecretBox {
  private readonly key: Buffer;
  /** Made once: making it of bytes costs more than the digest of a short text. */
  private readonly digestKey: KeyObject;

  /** @param key 32 bytes in base64 */
  constructor(key: string) {
    this.key = Buffer.from(key, 'base64');
    // A key has one purpose: what a digest reveals says nothing about the encryption.
    this.digestKey = createSecretKey(Buffer.from(hkdfSync('sha256', this.key, '', 'digest', DIGEST_BYTES)));
  }

  /** A hash of 32 bytes that only this key makes: nobody else can find a secret in the text by trying (HMAC-SHA-256). */
  digest(text: string): Buffer {
    return createHmac('sha256', this.digestKey).update(text, 'utf8').digest();
  }

  /** `boundTo` (the id of the row) must be the same when it is opened: a ciphertext cannot be moved to another row. */
  seal(secrets: Record<string, unknown>, boundTo: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(boundTo));
    const text = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]);
  }

  /** @throws AppError `secrets_unreadable` when the text was changed, or sealed with another key or for another row */
  open(sealed: Buffer, boundTo: string): Record<string, unknown> {
    try {
      return this.decrypt(sealed, boundTo);
    } catch (cause) {
      throw new AppError('secrets_unreadable', { cause });
    }
  }

  private decrypt(sealed: Buffer, boundTo: string): Record<string, unknown> {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(CIPHER, this.key, nonce).setAAD(Buffer.from(boundTo)).setAuthTag(tag);
    const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString('utf8')) as Record<string, unknown>;
  }
}
