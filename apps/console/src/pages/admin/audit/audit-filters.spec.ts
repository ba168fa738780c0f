import { describe, expect, it } from '@jest/globals';
import { filtersOf, withFilter } from './audit-filters.js';

describe('the filters of the audit trail', () => {
  it('are those of the address, without what is empty or no filter', () => {
    const query = new URLSearchParams('action=key.rotated&account_id=&other=1&subject_id=a');
    expect(filtersOf(query)).toEqual({ action: 'key.rotated', subject_id: 'a' });
  });

  it('change in the address one by one; an empty value removes one', () => {
    const query = new URLSearchParams('action=key.rotated&subject_id=a');
    expect(withFilter(query, 'subject_id', '').toString()).toBe('action=key.rotated');
    expect(withFilter(query, 'actor_key_id', 'b').get('actor_key_id')).toBe('b');
  });
});
