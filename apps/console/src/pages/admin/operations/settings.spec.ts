import { describe, expect, it } from '@jest/globals';
import type { SettingRecord } from '@capture-service/client';
import { matches, valueText } from './settings.js';

const setting = (fields: Partial<SettingRecord>): SettingRecord => ({
  name: 'PORT',
  subject: 'server',
  description: 'Port of the API.',
  kind: 'whole',
  value: 3_000,
  default: 3_000,
  origin: 'default',
  secret: false,
  is_set: true,
  ...fields,
});

describe(matches.name, () => {
  it('finds settings by words of their names and descriptions', () => {
    expect(['', 'port', 'api PORT', 'secret'].map((search) => matches(setting({}), search))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

describe(valueText.name, () => {
  it.each<[string, Partial<SettingRecord>]>([
    ['3000', {}],
    ['false', { value: false }],
    ['not set', { value: null, is_set: false }],
    ['not set', { value: '' }],
    ['set, not shown', { value: null, secret: true }],
    ['not set', { value: null, secret: true, is_set: false }],
  ])('says %s', (text, fields) => {
    expect(valueText(setting(fields))).toBe(text);
  });
});
