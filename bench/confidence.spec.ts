import { describe, expect, it } from '@jest/globals';
import { estimate, widthOf } from './confidence.js';

describe(estimate, () => {
  it('is the geometric mean, with an interval of 95 % around it', () => {
    const { mean, low, high } = estimate([0.9, 1, 1 / 0.9]);
    expect(mean).toBeCloseTo(1, 10);
    // ln(1 / 0.9) / √3 × 4.3
    expect(high).toBeCloseTo(Math.exp(0.10536 * (4.3 / Math.sqrt(3))), 3);
    expect(low * high).toBeCloseTo(1, 10);
  });

  it('is the inverse for the other side', () => {
    const ratios = [1.2, 1.1, 1.3, 1.15];
    const one = estimate(ratios);
    const other = estimate(ratios.map((ratio) => 1 / ratio));
    expect(other.mean).toBeCloseTo(1 / one.mean, 10);
    expect(other.low).toBeCloseTo(1 / one.high, 10);
  });

  it('is narrower with more rounds', () => {
    const few = [1, 1.1, 1, 1.1];
    expect(widthOf(estimate([...few, ...few, ...few]))).toBeLessThan(widthOf(estimate(few)) / 1.5);
  });
});
