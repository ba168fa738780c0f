import { describe, expect, it } from '@jest/globals';
import { newId } from '@app/kernel';
import { pageQuery } from './history-page.js';

const AT = '2026-05-01T10:00:00.500Z';

describe(pageQuery.name, () => {
  // An index scan with two upper bounds starts at one of them and reads all rows up to the other.
  it.each([
    ['the cursor', 'earlier than', -1, [':cursorMs']],
    ['created_before', 'later than', 1, [':createdBefore']],
    ['both', 'in the millisecond of', 0, [':cursorMs', ':createdBefore']],
  ])('starts at %s when the cursor is %s created_before', (_, __, ms, expected) => {
    const cursor = { createdAtMs: Date.parse(AT) + ms, id: newId() };
    const { sql } = pageQuery(newId(), { createdBefore: AT }, { limit: 20, cursor });
    expect([':cursorMs', ':createdBefore'].filter((end) => sql.includes(end))).toEqual(expected);
  });
});
