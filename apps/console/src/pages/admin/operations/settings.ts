import type { SettingRecord } from '@capture-service/client';

/** The subjects of settings in words, in their order. */
export const SUBJECTS: Readonly<Record<SettingRecord['subject'], string>> = {
  server: 'Addresses and requests',
  data: 'Data',
  operation: 'Logs and shutdown',
  tracing: 'Traces',
  browser: 'Browsers and slots',
  egress: 'What captures may reach',
  results: 'Results and limits',
  interfaces: 'Interfaces',
  sign_on: 'Single sign-on',
};

/** Whether all words of a search are in the name or the description. */
export function matches({ name, description }: SettingRecord, search: string): boolean {
  const text = `${name} ${description}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The value in force; of a secret only whether there is one. */
export function valueText({ value, secret, is_set: isSet }: SettingRecord): string {
  if (secret) return isSet ? 'set, not shown' : 'not set';
  return value === null || value === '' ? 'not set' : String(value);
}
