import { describe, expect, it } from '@jest/globals';
import { filtersOf, valueText, withFilters, withoutFilters } from './filters.js';

describe('the filters in the address', () => {
  it('are read, without empty ones and other parameters', () => {
    const query = new URLSearchParams('status=failed&host=&view=table&changed=true');
    expect(filtersOf(query)).toEqual({ status: 'failed', changed: 'true' });
  });

  it('change and keep everything else', () => {
    const query = new URLSearchParams('status=failed&view=table');
    expect(withFilters(query, { status: '', host: 'a.example' }).toString()).toBe(
      'view=table&host=a.example',
    );
    expect(withoutFilters(new URLSearchParams('status=failed&view=table&changed=true')).toString()).toBe(
      'view=table',
    );
  });

  it('have values in words, and unknown values as they are', () => {
    expect(valueText('verdict', 'bot_wall')).toBe('Bot check');
    expect(valueText('status', 'bogus')).toBe('bogus');
    expect(valueText('created_after', '2026-11-21T00:00:00Z')).toContain('2026');
    expect(valueText('created_after', 'yesterday')).toBe('yesterday');
  });
});
