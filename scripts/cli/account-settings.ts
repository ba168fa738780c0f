import { ALLOWANCE_PERIODS, type AccountSettings } from '@app/usage';
import { oneOf, UsageError, wholeNumber } from './command.js';

/** The options that set an account, for parseArgs. */
export const SETTING_OPTIONS = {
  allowance: { type: 'string' },
  period: { type: 'string' },
  concurrency: { type: 'string' },
  rate: { type: 'string' },
  burst: { type: 'string' },
  'webhook-url': { type: 'string' },
} as const;
export type SettingOption = keyof typeof SETTING_OPTIONS;
export const SETTING_NAMES = Object.keys(SETTING_OPTIONS) as SettingOption[];

/** A bucket of this size is still counted exactly. */
const MAX_RATE = 1_000_000;
const MAX_URL_LENGTH = 2_048;

/** The settings in these options. @param webhookHttp whether webhooks may use plain http */
export function readSettings(
  options: Partial<Record<SettingOption, string>>,
  webhookHttp: boolean,
): Partial<AccountSettings> {
  const { allowance, period, concurrency, rate, burst, 'webhook-url': webhookUrl } = options;
  const perMinute = { min: 1, max: MAX_RATE };
  return {
    ...(allowance !== undefined && { allowance: wholeNumber('--allowance', allowance, { min: 0 }) }),
    ...(period !== undefined && { allowancePeriod: oneOf('--period', period, ALLOWANCE_PERIODS) }),
    ...(concurrency !== undefined && { concurrency: wholeNumber('--concurrency', concurrency, { min: 1 }) }),
    ...(rate !== undefined && { rate: wholeNumber('--rate', rate, perMinute) }),
    ...(burst !== undefined && { burst: wholeNumber('--burst', burst, perMinute) }),
    ...(webhookUrl !== undefined && { webhookUrl: endpoint(webhookUrl, webhookHttp) }),
  };
}

/** The name of an account or a key. */
export function readName(option: '--account' | '--name', text: string): string {
  const isName = /^[^\p{C}]{1,100}$/u.test(text) && text.trim() === text;
  if (isName) return text;
  throw new UsageError(`${option} must be 1 to 100 characters, without line breaks and spaces around it`);
}

function endpoint(text: string, webhookHttp: boolean): string | null {
  if (text === 'none') return null;
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!url || !isWeb || url.username !== '' || url.password !== '') {
    throw new UsageError(
      `--webhook-url must be a URL such as https://example.com/hooks, without a password, or none; it is ${JSON.stringify(text.slice(0, 100))}`,
    );
  }
  if (url.protocol === 'http:' && !webhookHttp) {
    throw new UsageError('--webhook-url must be an https URL; for plain http set WEBHOOK_HTTP=true');
  }
  return url.href;
}
