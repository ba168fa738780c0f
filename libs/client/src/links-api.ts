import { jsonConsumer } from './answers.js';
import { CaptureError } from './capture-error.js';
import type { LinkOptions } from './capture-options.js';
import { hmacSign, toBase64Url, utf8 } from './hmac.js';
import { NOT_IN_LINKS } from './generated/option-catalogue.js';
import { linkQuery } from './link-query.js';
import { signLink, type LinkRequest, type SignedLink } from './generated/openapi/index.js';
import type { CallOptions, Transport } from './transport.js';

/** The secret with which links are signed locally: `npm run keys -- signing <key id>` shows it. */
export interface SigningSecret {
  readonly keyId: string;
  /** `cls_…` */
  readonly secret: string;
}

/** When a link expires: after a time, at a fixed time, which keeps its URL the same, or never, if the operator allows that. */
export type LinkLife =
  | { readonly expiresInS: number; readonly expiresAt?: undefined; readonly neverExpires?: undefined }
  | { readonly expiresAt: Date; readonly expiresInS?: undefined; readonly neverExpires?: undefined }
  | { readonly neverExpires: true; readonly expiresInS?: undefined; readonly expiresAt?: undefined };

export type LinkSettings = LinkLife & {
  /** What an error is answered with. Default: `problem`. */
  readonly onError?: 'problem' | 'image' | undefined;
};

const PATH = '/v1/render';

/** Links to captures that an `<img>` can show. */
export class LinksApi {
  constructor(
    private readonly transport: Transport,
    private readonly signing: SigningSecret | undefined,
  ) {}

  /** Signs a link: on this machine if the client has a signing secret, and otherwise by the service. */
  async sign(options: LinkOptions, settings: LinkSettings, call?: CallOptions): Promise<SignedLink> {
    const { onError } = settings;
    const values = { ...options, ...(onError !== undefined && { on_error: onError }) };
    refuseForeign(values);
    checkLife(settings);
    return this.signing
      ? this.signHere(values, settings, this.signing)
      : this.request(values, settings, call);
  }

  private async signHere(
    values: object,
    life: LinkLife,
    { keyId, secret }: SigningSecret,
  ): Promise<SignedLink> {
    const expires = expiryOf(life);
    const query = linkQuery({ key: keyId, ...values, ...(expires !== undefined && { expires }) });
    const digest = await hmacSign(utf8(secret), utf8(`v1\nGET\n${PATH}\n${query}`));
    return {
      url: `${this.transport.baseUrl}${PATH}?${query}&signature=v1.${toBase64Url(digest)}`,
      expires_at: expires === undefined ? null : new Date(expires * 1_000).toISOString(),
    };
  }

  private async request(values: LinkRequest, life: LinkLife, call: CallOptions = {}): Promise<SignedLink> {
    if (life.expiresAt) {
      throw invalid('expiresAt needs a client with `signing`; the service takes expiresInS');
    }
    const { expiresInS } = life;
    const body = { ...values, ...(expiresInS !== undefined && { expires_in_s: expiresInS }) };
    const { data } = await signLink({ ...this.transport.wire({ call, consume: jsonConsumer }), body });
    return data;
  }
}

function refuseForeign(values: object): void {
  const name = Object.keys(values).find((each) => NOT_IN_LINKS.includes(each));
  if (name !== undefined) throw invalid(`${name} cannot be part of a link, which everyone can read and use`);
}

function checkLife({ expiresInS, expiresAt, neverExpires }: LinkLife): void {
  if (neverExpires) return;
  if (expiresAt !== undefined) {
    if (Number.isNaN(new Date(expiresAt).getTime())) throw invalid('expiresAt is no valid date');
  } else if (!Number.isInteger(expiresInS) || Number(expiresInS) < 1) {
    throw invalid(
      'expiresInS must be a whole number of seconds from 1, or set expiresAt, or neverExpires: true',
    );
  }
}

/** Seconds since 1970. */
function expiryOf({ expiresInS, expiresAt }: LinkLife): number | undefined {
  if (expiresAt) return Math.floor(new Date(expiresAt).getTime() / 1_000);
  return expiresInS === undefined ? undefined : Math.floor(Date.now() / 1_000) + expiresInS;
}

function invalid(reason: string): CaptureError {
  return new CaptureError({ code: 'invalid_options', detail: `The link cannot be signed: ${reason}.` });
}
