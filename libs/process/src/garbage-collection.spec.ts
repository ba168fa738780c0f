import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { COLLECTION_FLAGS } from './garbage-collection.js';

// V8 ignores a flag that it does not know.
describe('the collection of garbage', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });

  it.each(COLLECTION_FLAGS)('sets %s, which this version of Node has', (flag) => {
    expect(known).toContain(`${flag} `);
  });
});
