import { addressRangeFault, SCOPES, type KeyChange, type KeySettings, type Scope } from '@app/auth';
import {
  compose,
  faultsOf,
  hostPatternFault,
  instantiate,
  invalidRequest,
  isId,
  Text,
  TextList,
  Whole,
  type Fault,
} from '@app/kernel';
import { TIME_RULE } from '../http/time-rule.js';
import { NAME_RULE, splitNulls } from './account.fields.js';

const MAX_OVERLAP_S = 30 * 86_400;
const MAX_PATTERNS = 100;

class OwnerFields {
  @Text('Id of the account that the key belongs to.', {
    max: 36,
    check: (text: string) => (isId(text) ? undefined : 'must be the id of an account'),
  })
  account_id?: string;

  @TextList(
    'What the key may do; all but `admin` without it. A key with `admin` is made by `npm run keys` only.',
    {
      maxItems: SCOPES.length,
      maxLength: 20,
      choices: SCOPES,
      check: notEmpty,
      example: ['capture', 'read'],
    },
  )
  scopes?: Scope[];
}

class LimitFields {
  @Text('Your name for the key; that of the account without it.', { ...NAME_RULE, example: 'shop' })
  name?: string;

  @Text('When the key stops working; never without it.', TIME_RULE)
  expires_at?: string;

  @TextList('Hosts that the key may capture, such as `example.com` or `*.example.com`; all without it.', {
    maxItems: MAX_PATTERNS,
    maxLength: 255,
    check: (patterns: readonly string[]) => notEmpty(patterns) ?? firstFault(patterns, hostPatternFault),
    example: ['example.com', '*.example.com'],
  })
  allowed_hosts?: string[];

  @TextList('CIDRs of the addresses from which the key may be used; all without it.', {
    maxItems: MAX_PATTERNS,
    maxLength: 50,
    check: (ranges: readonly string[]) => notEmpty(ranges) ?? firstFault(ranges, addressRangeFault),
    example: ['203.0.113.0/24'],
  })
  allowed_ips?: string[];
}

/** Body of `POST /v1/admin/keys`. */
export const NewKeyBody = compose('NewKeyBody', [OwnerFields, LimitFields]);
/** Body of `PATCH /v1/admin/keys/{id}`. */
export const KeyChangeBody = compose('KeyChangeBody', [LimitFields]);

/** The limits for which null stands for none. */
export const NULLABLE_LIMITS = ['expires_at', 'allowed_hosts', 'allowed_ips'] as const;

/** Body of `POST /v1/admin/keys/{id}/rotate`. */
export class RotationBody {
  @Whole('Seconds for which the secret before still works; 0 ends it at once.', {
    min: 0,
    max: MAX_OVERLAP_S,
  })
  overlap_s = 86_400;
}

/** A valid request for a key. */
export interface KeyRequest {
  readonly accountId: string;
  readonly name: string | undefined;
  readonly settings: KeySettings;
}

/** @throws AppError `invalid_request` with every fault */
export function readNewKey(raw: unknown, now: Date): KeyRequest {
  const faults = faultsOf(NewKeyBody, raw);
  if (faults.length > 0) throw invalidRequest(faults);
  const body = instantiate(NewKeyBody, raw as object);
  const expiresAt = body.expires_at === undefined ? null : new Date(body.expires_at);
  const found = expiryFaults(expiresAt, now);
  if (body.account_id === undefined) {
    found.push({
      pointer: '/account_id',
      code: 'required',
      detail: 'is missing: name the account by its id',
    });
  }
  if (found.length > 0) throw invalidRequest(found);
  return {
    accountId: body.account_id ?? '',
    name: body.name,
    settings: {
      expiresAt,
      allowedHosts: body.allowed_hosts ?? null,
      allowedIps: body.allowed_ips ?? null,
      ...(body.scopes && { scopes: [...new Set(body.scopes)] }),
    },
  };
}

/** @throws AppError `invalid_request` with every fault */
export function readKeyChange(raw: unknown, now: Date): KeyChange {
  const { given, nulls } = splitNulls(raw, NULLABLE_LIMITS);
  const faults = faultsOf(KeyChangeBody, given);
  if (faults.length > 0) throw invalidRequest(faults);
  const { name, expires_at, allowed_hosts, allowed_ips } = {
    ...instantiate(KeyChangeBody, given),
    ...nulls,
  };
  const expiresAt = typeof expires_at === 'string' ? new Date(expires_at) : expires_at;
  const past = expiryFaults(expiresAt ?? null, now);
  if (past.length > 0) throw invalidRequest(past);
  return {
    ...(name !== undefined && { name }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(allowed_hosts !== undefined && { allowedHosts: allowed_hosts }),
    ...(allowed_ips !== undefined && { allowedIps: allowed_ips }),
  };
}

function expiryFaults(expiresAt: Date | null, now: Date): Fault[] {
  if (expiresAt === null || expiresAt > now) return [];
  return [{ pointer: '/expires_at', code: 'invalid_value', detail: 'must be later than now' }];
}

function notEmpty(items: readonly string[]): string | undefined {
  return items.length > 0 ? undefined : 'must have at least one item';
}

function firstFault(
  items: readonly string[],
  faultOf: (text: string) => string | undefined,
): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
