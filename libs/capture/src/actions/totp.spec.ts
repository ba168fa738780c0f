import { describe, expect, it } from '@jest/globals';
import { isTotpSeed, totpCode } from './totp.js';

/** The ASCII text `12345678901234567890` of RFC 6238 (appendix B), in Base32. */
const SEED = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe(totpCode.name, () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('makes the code of RFC 6238 at %i seconds', (seconds, code) => {
    expect(totpCode(SEED, seconds * 1_000)).toBe(code);
  });

  it('reads a seed as people copy it', () => {
    expect(totpCode('gezd gnbv-gy3t qojq GEZDGNBVGY3TQOJQ====', 59_000)).toBe('287082');
  });
});

describe(isTotpSeed.name, () => {
  it.each([
    [SEED, true],
    ['JBSWY3DPEHPK3PXP', true],
    ['JBSWY3DP', false],
    ['0189', false],
    ['', false],
  ])('says whether %s is one', (text, is) => {
    expect(isTotpSeed(text)).toBe(is);
  });
});
