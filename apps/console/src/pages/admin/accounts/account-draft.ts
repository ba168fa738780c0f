import type { AccountChangeRequest, AccountRecord, NewAccountRequest } from '@capture-service/client';

type NumberName = Exclude<keyof AccountChangeRequest, 'allowance_period' | 'webhook_url'>;

/** A setting of an account that is a number. */
export interface NumberSetting {
  readonly name: NumberName;
  readonly label: string;
  readonly help: string;
}

/** How much an account may do. Each has a value. */
export const RATES = [
  { name: 'allowance', label: 'Allowance', help: 'Captures per period.' },
  { name: 'concurrency', label: 'Concurrency', help: 'Captures in progress at once.' },
  { name: 'rate', label: 'Requests per minute', help: 'More are refused until the next ones are due.' },
  { name: 'burst', label: 'Burst', help: 'Requests at once before the rate limit applies.' },
] as const satisfies readonly NumberSetting[];

/** How much an account may have at once. Without a value there is no limit, or that of the configuration. */
export const LIMITS = [
  { name: 'max_captures', label: 'Captures kept', help: 'Records of captures. Empty: any number.' },
  { name: 'max_bytes', label: 'Bytes kept', help: 'Bytes of their files. Empty: any number.' },
  { name: 'max_batches', label: 'Batches in progress', help: 'Empty: any number.' },
  { name: 'max_webhooks', label: 'Webhooks that wait', help: 'Deliveries that wait. Empty: any number.' },
  { name: 'max_sessions', label: 'Sessions', help: 'Empty: SESSIONS_PER_ACCOUNT.' },
  { name: 'max_monitors', label: 'Monitors', help: 'Empty: MONITORS_PER_ACCOUNT.' },
] as const satisfies readonly NumberSetting[];

type Period = AccountRecord['allowance_period'];
type LimitName = (typeof LIMITS)[number]['name'];

/** What a person has typed in a form with the settings of an account. */
export interface SettingsDraft extends Readonly<Record<NumberName, string>> {
  readonly allowance_period: Period;
  readonly webhook_url: string;
}

const NUMBERS: readonly NumberSetting[] = [...RATES, ...LIMITS];
const WHOLE = /^\d{1,16}$/;

/** The form of a new account: what is left empty is as the service sets it. */
export const EMPTY_SETTINGS: SettingsDraft = {
  ...(Object.fromEntries(NUMBERS.map(({ name }) => [name, ''])) as Record<NumberName, string>),
  allowance_period: 'month',
  webhook_url: '',
};

/** The form with the settings of an account. */
export function draftOf(account: AccountRecord): SettingsDraft {
  const numbers = NUMBERS.map(({ name }) => [name, String(account[name] ?? '')] as const);
  return {
    ...(Object.fromEntries(numbers) as Record<NumberName, string>),
    allowance_period: account.allowance_period,
    webhook_url: account.webhook_url ?? '',
  };
}

/** Why the text is no value of the setting. The service knows the ranges. */
export function faultOf(name: NumberName, text: string): string | undefined {
  if (WHOLE.test(text.trim()) || (text.trim() === '' && isLimit(name))) return undefined;
  return 'must be a whole number';
}

/** Whether all numbers that differ from those before are numbers. */
export function isValid(before: SettingsDraft, draft: SettingsDraft): boolean {
  return NUMBERS.every(
    ({ name }) => draft[name] === before[name] || faultOf(name, draft[name]) === undefined,
  );
}

/** The request for a new account, which states what is filled in. */
export function newAccountOf(name: string, draft: SettingsDraft): NewAccountRequest {
  return { name: name.trim(), ...changesOf(EMPTY_SETTINGS, draft) };
}

/** What differs between the settings and what is typed. A limit or an address that was emptied is null. */
export function changesOf(before: SettingsDraft, draft: SettingsDraft): AccountChangeRequest {
  const numbers = NUMBERS.filter(({ name }) => draft[name].trim() !== before[name]).map(({ name }) => {
    const text = draft[name].trim();
    return [name, text === '' ? null : Number(text)] as const;
  });
  const { allowance_period: period, webhook_url: address } = draft;
  return {
    ...(Object.fromEntries(numbers) as AccountChangeRequest),
    ...(period !== before.allowance_period && { allowance_period: period }),
    ...(address.trim() !== before.webhook_url && { webhook_url: address.trim() || null }),
  };
}

/** Whether the setting is a limit, which may have no value. */
export function isLimit(name: NumberName): name is LimitName {
  return LIMITS.some((limit) => limit.name === name);
}
