import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { BUFFERS_IN_HEAP_LIMIT } from './garbage-collection.js';

// V8 ignores a flag that it does not know.
it('sets a flag that this version of Node has', () => {
  const flags = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  expect(flags).toContain(`${BUFFERS_IN_HEAP_LIMIT} `);
});
