import { describe, expect, it } from '@jest/globals';
import { proposals, proposedOption } from './column-names.js';

describe('the option that a column stands for', () => {
  it.each([
    ['URL', 'url'],
    ['Full page', 'full_page'],
    ['viewport_widht', 'viewport_width'],
    ['Website', 'url'],
    ['width', 'viewport_width'],
    ['widht', 'viewport_width'],
    ['id', 'reference'],
  ])('is proposed for %s', (column, option) => {
    expect(proposedOption(column)).toBe(option);
  });

  it.each(['', 'remarks of the customer', 'price', 'remarks', 'notes', 'kind', '__proto__'])(
    'is unknown for %j',
    (column) => {
      expect(proposedOption(column)).toBeUndefined();
    },
  );

  it('is proposed once, and not where a column is named, chosen or left out', () => {
    const columns = ['Link', 'website', 'Name', 'full_page', 'Format'];
    const names = ['Link', 'website', null, 'full_page', 'pdf_format'];
    expect(proposals(columns, names)).toEqual(['url', undefined, undefined, undefined, 'format']);
  });
});
