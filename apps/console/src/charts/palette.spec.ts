import { describe, expect, it } from '@jest/globals';
import { CHART_COLORS, chartColor, chartVariables } from './palette.js';

/** The bodies of both schemes (ui/theme.ts). */
const BODIES = { light: '#ffffff', dark: '#16181d' };

function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

describe('colours of charts', () => {
  it.each(['light', 'dark'] as const)('stand out from the surface in the %s scheme', (scheme) => {
    for (const color of CHART_COLORS[scheme])
      expect(contrast(color, BODIES[scheme])).toBeGreaterThanOrEqual(3);
  });

  it('are variables, and all layers above the last colour have that one', () => {
    expect(chartVariables('light')).toMatchObject({ '--chart-1': '#4263eb', '--chart-6': '#6b7280' });
    expect([chartColor(0), chartColor(5), chartColor(9)]).toEqual(['--chart-1', '--chart-6', '--chart-6']);
  });
});
