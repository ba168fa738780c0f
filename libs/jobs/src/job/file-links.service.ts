import { createHash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { AppError, Clock, SecretBox } from '@app/kernel';
import { linkedFilePath } from './resource-paths.js';

/** A message is read days later, and nobody looks at a picture of last season. */
const MAX_LIFE_S = 30 * 86_400;

const VERSION = 'v1';
/** The only spelling of a link, up to its signature. A link of another spelling is refused. */
const LINK = new RegExp(
  String.raw`^(${linkedFilePath('([0-9a-f-]{36})', null)}(?:/([\w.-]{1,100}))?\?expires=(\d{1,11})(?:&small=(\d{1,7}))?)&signature=v1\.([\w-]{43})$`,
);

/** A file of a capture. */
export interface LinkedFile {
  readonly captureId: string;
  /** Null for the first one. */
  readonly name: string | null;
  /** Shows a small part of the picture instead, around this distance from its top in px. */
  readonly smallAt?: number;
}

/**
 * Signs links to files of captures, for messages whose readers have no key. SECRETS_KEY signs them, so that a link ends with its file,
 * with the key, or when it expires.
 */
@Injectable()
export class FileLinksService {
  constructor(
    private readonly env: Env,
    private readonly secretBox: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** Null when the operator has not said where readers reach the service (`PUBLIC_URL`). */
  linkTo({ captureId, name, smallAt }: LinkedFile): string | null {
    const { PUBLIC_URL: base, RECORD_TTL_S } = this.env;
    if (base === undefined) return null;
    const expires = this.nowS() + Math.min(MAX_LIFE_S, RECORD_TTL_S);
    const small = smallAt === undefined ? '' : `&small=${Math.max(0, Math.round(smallAt))}`;
    const signed = `${linkedFilePath(captureId, name)}?expires=${expires}${small}`;
    const signature = this.digest(signed).toString('base64url');
    return `${base.replace(/\/+$/, '')}${signed}&signature=${VERSION}.${signature}`;
  }

  /**
   * @param target path and query as they were sent
   * @throws AppError `signature_invalid`, `link_expired`
   */
  verify(target: string): LinkedFile {
    const [, signed, captureId, name = null, expires, small, signature] = LINK.exec(target) ?? [];
    const given = createHash('sha256')
      .update(signature ?? '')
      .digest();
    const right = createHash('sha256')
      .update(this.digest(signed ?? '').toString('base64url'))
      .digest();
    if (captureId === undefined || !timingSafeEqual(given, right)) throw new AppError('signature_invalid');
    if (Number(expires) <= this.nowS()) throw new AppError('link_expired');
    return { captureId, name, ...(small !== undefined && { smallAt: Number(small) }) };
  }

  private digest(signed: string): Buffer {
    return this.secretBox.digest(`${VERSION}\nfile\n${signed}`);
  }

  private nowS(): number {
    return Math.floor(this.clock.now().getTime() / 1_000);
  }
}
