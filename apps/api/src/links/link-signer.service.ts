import { Injectable } from '@nestjs/common';
import { SigningSecretsService, type Caller, type SigningKey } from '@app/auth';
import { DefaultOptions, type CaptureOptions } from '@app/capture';
import { AppError, Clock, faultsOf, invalidRequest, isPlainObject, type Fault } from '@app/kernel';
import { EgressGuard } from '@app/outbound';
import { AccountLimitsService } from '@app/usage';
import { linkQuery } from '@capture-service/client';
import { admitTargets } from '../http/auth/target-limits.js';
import { RENDER_PATH } from '../http/cross-origin.js';
import { MAX_QUERY_BYTES, MUST_EXPIRE, parseLink } from './link-options.js';
import { signLink } from './link-signature.js';
import { LinkRequest } from './link.request.js';
import type { SignedLink } from './link.response.js';

/** Every process knows a new secret after 5 s; until then the previous one signs, which all of them know. */
const NEW_SECRET_MS = 10_000;

type Values = Readonly<Record<string, unknown>>;

/** Makes signed links for callers that have no signer. */
@Injectable()
export class LinkSignerService {
  constructor(
    private readonly secrets: SigningSecretsService,
    private readonly operator: DefaultOptions,
    private readonly guard: EgressGuard,
    private readonly limits: AccountLimitsService,
    private readonly clock: Clock,
  ) {}

  /**
   * @param body options of a capture and the fields of `LinkRequest`
   * @param baseUrl URL of the service, without a slash at its end
   * @throws AppError `invalid_request`, `target_forbidden`, `account_paused`, `unauthorized` if the key has been revoked meanwhile
   */
  async sign(caller: Caller, body: unknown, baseUrl: string): Promise<SignedLink> {
    const key = await this.secrets.ensure(caller.keyId);
    if (!key) throw new AppError('unauthorized');
    await this.limits.forNewWork(caller.accountId);
    const nowS = Math.floor(this.clock.now().getTime() / 1_000);
    const { expires_in_s: lifeS, ...values } = isPlainObject(body) ? body : {};
    const faults = requestFaults(body, key);
    const expires = typeof lifeS === 'number' && faults.length === 0 ? nowS + lifeS : undefined;
    const { options } = parseLink(
      { values: withoutOwn(values), faults },
      { operator: this.operator, mustExpire: false, nowS },
    );
    admitTargets(caller, options);
    this.admit(options);
    const query = linkQuery({ key: key.keyId, ...values, ...(expires !== undefined && { expires }) });
    const url = `${baseUrl}${RENDER_PATH}?${signLink(this.secretOf(key), query)}`;
    const length = url.length - baseUrl.length - RENDER_PATH.length - 1;
    if (length > MAX_QUERY_BYTES) throw invalidRequest([tooLong(length)]);
    return { url, expires_at: expires === undefined ? null : new Date(expires * 1_000).toISOString() };
  }

  /** What every request of the link would answer is better known before it is published. */
  private admit({ url }: CaptureOptions): void {
    if (url !== undefined) this.guard.admit(new URL(url));
  }

  private secretOf({ current, previous }: SigningKey): string {
    const isNew = this.clock.now().getTime() - current.createdAt.getTime() < NEW_SECRET_MS;
    return isNew && previous ? previous.secret : current.secret;
  }
}

/** The fields that a link has and this request has not. */
const OF_THE_LINK: readonly string[] = ['key', 'expires', 'signature'];

function withoutOwn(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !OF_THE_LINK.includes(name)));
}

function requestFaults(body: unknown, { linksExpire }: SigningKey): Fault[] {
  if (!isPlainObject(body)) return faultsOf(LinkRequest, body);
  const hasLife = Object.hasOwn(body, 'expires_in_s');
  return [
    ...(hasLife ? faultsOf(LinkRequest, { expires_in_s: body.expires_in_s }) : []),
    ...(linksExpire && !hasLife ? [{ pointer: '/expires_in_s', code: 'required', detail: MUST_EXPIRE }] : []),
    ...OF_THE_LINK.filter((name) => Object.hasOwn(body, name)).map((name) => ({
      pointer: `/${name}`,
      code: 'unknown_field',
      detail: 'is not a field of this request, which sets it in the link',
    })),
  ];
}

function tooLong(length: number): Fault {
  const detail = `makes a link of ${length} bytes; its query may have ${MAX_QUERY_BYTES}`;
  return { pointer: '', code: 'too_long', detail };
}
