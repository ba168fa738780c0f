import { Injectable } from '@nestjs/common';
import { isCurrent, LinkKeysService, type Caller, type SigningKey } from '@app/auth';
import { DefaultOptions, type CaptureOptions } from '@app/capture';
import { AppError, Clock } from '@app/kernel';
import { LRUCache } from 'lru-cache';
import { AuthThrottleService } from '../http/auth/auth-throttle.service.js';
import { admitTargets } from '../http/auth/target-limits.js';
import { LINK_FIELDS, MAX_QUERY_BYTES, parseLink } from './link-options.js';
import { readQuery } from './link-query.js';
import { isSignedBy, splitLink } from './link-signature.js';

/** Bounds the memory: with their options, as many links of ordinary length take about 5 MB. */
const MAX_KNOWN_LINKS = 2_000;

/** A link whose signature and options are valid. */
export interface VerifiedLink {
  readonly caller: Caller;
  readonly options: CaptureOptions;
  /** When the link expires, in seconds since 1970; Infinity if it does not. */
  readonly expires: number;
}

interface KnownLink {
  readonly link: VerifiedLink;
  /** Time in ms until which the key of the link is known to be valid, and the link does not expire. */
  readonly until: number;
}

/**
 * Verifies signed links. A popular page requests the same link many times a second, so that a valid one is remembered, and
 * is not verified and parsed again, for as long as the lookup of its key may be used: at most 4 s.
 */
@Injectable()
export class LinkVerifierService {
  private readonly known = new LRUCache<string, KnownLink>({ max: MAX_KNOWN_LINKS });

  constructor(
    private readonly keys: LinkKeysService,
    private readonly operator: DefaultOptions,
    private readonly throttle: AuthThrottleService,
    private readonly clock: Clock,
  ) {}

  /**
   * @param query of the link as it was sent, without `?`
   * @param address of the client, whose invalid links are counted
   * @throws AppError `link_too_long`, `signature_invalid`, `rate_limited` for too many invalid links, `link_expired`,
   * `invalid_request`
   */
  async verify(query: string, address: string): Promise<VerifiedLink> {
    const known = this.known.get(query);
    if (known && isCurrent(known, this.now())) return known.link;
    if (query.length > MAX_QUERY_BYTES) throw new AppError('link_too_long');
    const parts = splitLink(query);
    // Links do not count for the keys of an address: a page with a broken link must not throttle its neighbours' programs.
    const client = `links of ${address}`;
    const { row: key, until } =
      parts.keyId === undefined
        ? { row: null, until: 0 }
        : await this.keys.find(parts.keyId, () => this.throttle.mayLookUp(client));
    const secrets = key ? [key.current, ...(key.previous ? [key.previous] : [])] : [];
    const isValid = isSignedBy(
      secrets.map(({ secret }) => secret),
      parts,
    );
    if (!key || !isValid) throw this.throttle.countFailure(client, new AppError('signature_invalid'));
    const { options, expires = Infinity } = this.read(parts.signed, key.linksExpire);
    const caller = callerOf(key);
    // A client that has the secret may sign a link of any host.
    admitTargets(caller, options);
    const link = { caller, options, expires };
    this.known.set(query, { link, until: Math.min(until, expires * 1_000) });
    return link;
  }

  private read(signed: string, mustExpire: boolean): { options: CaptureOptions; expires?: number } {
    const query = readQuery(signed, LINK_FIELDS);
    const nowS = this.now() / 1_000;
    const { expires } = query.values;
    if (Number.isInteger(expires) && Number(expires) > 0 && Number(expires) <= nowS) {
      throw new AppError('link_expired');
    }
    const { options, fields } = parseLink(query, { operator: this.operator, mustExpire, nowS });
    return { options, expires: fields.expires };
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

/** A request of a link is that of its key, and may do nothing else. */
function callerOf({ accountId, keyId, name, allowedHosts }: SigningKey): Caller {
  const limits = { scopes: ['links'], allowedHosts, allowedIps: null, mcpUnsafe: false } as const;
  return { accountId, keyId, keyName: name, ...limits };
}
