import { describe, expect, it } from '@jest/globals';
import { addressRangeFault, isInRanges } from './address-ranges.js';

describe(isInRanges.name, () => {
  it.each([
    [['203.0.113.0/24'], '203.0.113.255', true],
    [['203.0.113.0/24'], '203.0.114.0', false],
    [['203.0.113.0/24'], '::ffff:203.0.113.7', true],
    [['203.0.113.0/24'], '::ffff:203.0.114.7', false],
    [['198.51.100.7/32', '2001:db8::/32'], '2001:db8:1::7', true],
    [['2001:db8::/32'], '203.0.113.7', false],
    [['0.0.0.0/0'], '2001:db8::7', false],
    [['0.0.0.0/0'], 'localhost', false],
    [['0.0.0.0/0'], undefined, false],
    [[], '203.0.113.7', false],
  ])('of %j has %s: %s', (ranges, address, expected) => {
    expect(isInRanges(ranges, address)).toBe(expected);
  });
});

describe(addressRangeFault.name, () => {
  it.each(['203.0.113.7', '203.0.113.0/33', 'example.com/24', ''])('refuses %j', (text) => {
    expect(addressRangeFault(text)).toContain('must be a CIDR');
  });

  it.each(['203.0.113.0/24', '2001:db8::/32'])('accepts %s', (text) => {
    expect(addressRangeFault(text)).toBeUndefined();
  });
});
