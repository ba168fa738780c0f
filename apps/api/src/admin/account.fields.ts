import { addressFault } from '@app/capture';
import {
  Choice,
  compose,
  faultsOf,
  instantiate,
  invalidRequest,
  isPlainObject,
  Text,
  Whole,
} from '@app/kernel';
import { ALLOWANCE_PERIODS, type AccountSettings, type AllowancePeriod } from '@app/usage';

const MAX_INTEGER = 2_147_483_647;
/** A bucket of this size is still counted exactly. */
const MAX_RATE = 1_000_000;
const MAX_BYTES = Number.MAX_SAFE_INTEGER;

/** The name of an account or a key. */
export const NAME_RULE = {
  max: 100,
  pattern: /^(?! )[^\p{C}]+(?<! )$/u,
  message: 'must be 1 to 100 characters, without line breaks and spaces around it',
};

class AccountFields {
  @Text('Name of the account among all accounts.', { ...NAME_RULE, example: 'acme' })
  name?: string;
}

class SettingFields {
  @Whole('Captures per period.', { min: 0, max: MAX_INTEGER })
  allowance?: number;

  @Choice(
    ALLOWANCE_PERIODS,
    '`month`: the allowance renews each calendar month (UTC). `ever`: it never renews.',
  )
  allowance_period?: AllowancePeriod;

  @Whole('Captures in progress at once.', { min: 1, max: MAX_INTEGER })
  concurrency?: number;

  @Whole('Requests per minute.', { min: 1, max: MAX_RATE })
  rate?: number;

  @Whole('Requests at once before the rate limit applies.', { min: 1, max: MAX_RATE })
  burst?: number;

  @Text('Receives events about the account, such as its usage.', {
    max: 2_048,
    check: (text: string) => addressFault(text),
    example: 'https://example.com/webhooks/usage',
  })
  webhook_url?: string;

  @Whole('Captures whose records the account may keep.', { min: 0, max: MAX_INTEGER })
  max_captures?: number;

  @Whole('Bytes of files that the account may keep.', { min: 0, max: MAX_BYTES })
  max_bytes?: number;

  @Whole('Batches in progress at once.', { min: 0, max: MAX_INTEGER })
  max_batches?: number;

  @Whole('Deliveries of webhooks that wait.', { min: 0, max: MAX_INTEGER })
  max_webhooks?: number;

  @Whole('Sessions; without it `SESSIONS_PER_ACCOUNT`.', { min: 0, max: MAX_INTEGER })
  max_sessions?: number;

  @Whole('Monitors; without it `MONITORS_PER_ACCOUNT`.', { min: 0, max: MAX_INTEGER })
  max_monitors?: number;
}

/** Body of `POST /v1/admin/accounts`. */
export const NewAccountBody = compose('NewAccountBody', [AccountFields, SettingFields]);
/** Body of `PATCH /v1/admin/accounts/{id}`. */
export const AccountChangeBody = compose('AccountChangeBody', [SettingFields]);

/** The settings for which null stands for none. */
export const NULLABLE = [
  'webhook_url',
  'max_captures',
  'max_bytes',
  'max_batches',
  'max_webhooks',
  'max_sessions',
  'max_monitors',
] as const;

type Raw = Readonly<Record<string, unknown>>;
type Settings = { [Name in keyof SettingFields]: SettingFields[Name] | null };

/** @throws AppError `invalid_request` with every fault */
export function readNewAccount(raw: unknown): { name: string; settings: Partial<AccountSettings> } {
  const { given, nulls } = splitNulls(raw, NULLABLE);
  const faults = faultsOf(NewAccountBody, given);
  if (given.name === undefined) {
    faults.push({ pointer: '/name', code: 'required', detail: 'is missing: name the account' });
  }
  if (faults.length > 0) throw invalidRequest(faults);
  const { name = '', ...settings } = instantiate(NewAccountBody, given);
  return { name, settings: toSettings({ ...settings, ...nulls }) };
}

/** @throws AppError `invalid_request` with every fault */
export function readAccountChange(raw: unknown): Partial<AccountSettings> {
  const { given, nulls } = splitNulls(raw, NULLABLE);
  const faults = faultsOf(AccountChangeBody, given);
  if (faults.length > 0) throw invalidRequest(faults);
  return toSettings({ ...instantiate(AccountChangeBody, given), ...nulls });
}

/** Null is valid for some fields, whose rules are about other values. */
export function splitNulls<Name extends string>(
  raw: unknown,
  nullable: readonly Name[],
): { readonly given: Raw; readonly nulls: Partial<Record<Name, null>> } {
  if (!isPlainObject(raw)) {
    throw invalidRequest([{ pointer: '', code: 'wrong_type', detail: 'must be a JSON object' }]);
  }
  const names = nullable.filter((name) => raw[name] === null);
  const given = Object.entries(raw).filter(([name]) => !(names as readonly string[]).includes(name));
  return {
    given: Object.fromEntries(given),
    nulls: Object.fromEntries(names.map((name) => [name, null])) as Partial<Record<Name, null>>,
  };
}

function toSettings(fields: Partial<Settings>): Partial<AccountSettings> {
  const settings = {
    allowance: fields.allowance,
    allowancePeriod: fields.allowance_period,
    concurrency: fields.concurrency,
    rate: fields.rate,
    burst: fields.burst,
    webhookUrl: fields.webhook_url,
    maxCaptures: fields.max_captures,
    maxBytes: fields.max_bytes,
    maxBatches: fields.max_batches,
    maxWebhooks: fields.max_webhooks,
    maxSessions: fields.max_sessions,
    maxMonitors: fields.max_monitors,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
