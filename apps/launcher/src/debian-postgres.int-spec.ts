import { describe, expect, it } from '@jest/globals';
import { createDatabase } from '../../../test/support/database.js';

describe('the PostgreSQL of the specs', () => {
  it('has the version that TEST_POSTGRES asks for', async () => {
    await using database = await createDatabase();
    const { rows } = await database.query('SHOW server_version');
    const major = String(rows[0].server_version).split('.')[0];
    expect(major).toBe(process.env.TEST_POSTGRES ?? '18');
  });
});
