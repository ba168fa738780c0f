import { describe, expect, it } from '@jest/globals';
import { codeSpan } from './markdown-inline.js';

describe(codeSpan, () => {
  it('has more backticks around it than in it', () => {
    expect(codeSpan('a')).toBe('`a`');
    expect(codeSpan('a`b')).toBe('``a`b``');
    expect(codeSpan('`a``')).toBe('``` `a`` ```');
  });

  it('has enough of them for a long run after many short ones', () => {
    const code = `${'` '.repeat(2_000)}x\`\`\`x`;
    expect(codeSpan(code)).toBe(`\`\`\`\` ${code} \`\`\`\``);
  });
});
