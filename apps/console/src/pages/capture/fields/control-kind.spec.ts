import { describe, expect, it } from '@jest/globals';
import { OPTION_CATALOGUE } from '@capture-service/client';
import { OPTIONS } from '../form/options.js';
import { controlKind, limitsOf } from './control-kind.js';

describe('the control of an option', () => {
  it.each([
    ['full_page', 'switch'],
    ['viewport_width', 'number'],
    ['latitude', 'number'],
    ['format', 'choice'],
    ['timezone', 'text'],
    ['css', 'long-text'],
    ['hide_selectors', 'tags'],
    ['block_resource_types', 'choices'],
    ['headers', 'map'],
    ['cookies', 'json'],
    ['outputs', 'json'],
    ['device', 'device'],
  ])('%s is a %s', (name, kind) => {
    const option = OPTIONS.get(name);
    expect(option && controlKind(option)).toBe(kind);
  });

  it('exists for every option of the API', () => {
    expect(OPTION_CATALOGUE.filter((option) => (controlKind(option) as unknown) === undefined)).toEqual([]);
  });

  it('says its range', () => {
    const named = OPTION_CATALOGUE.filter(({ name }) =>
      ['viewport_width', 'hide_selectors', 'css'].includes(name),
    );
    const limits = named.map(limitsOf);
    expect(limits).toEqual(['16 to 7,680', undefined, 'at most 50 entries']);
  });
});
