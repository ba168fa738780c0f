/**
 * Colours of charts, told apart also with a colour vision deficiency (after Okabe and Ito), and each with a contrast of
 * at least 3 to 1 against the surface that it is drawn on (WCAG 2.2, 1.4.11). The first is the accent of the console.
 */
export const CHART_COLORS = {
  light: ['#4263eb', '#0f8f8c', '#b4580a', '#9c4f96', '#7a6a00', '#6b7280'],
  dark: ['#748ffc', '#4fd1c5', '#f0a25c', '#d58fca', '#d8c24a', '#9aa1ad'],
} as const;

/** The colour of what is left over: gray. */
const REST = CHART_COLORS.light.length;

/** The CSS variable of the colour of a layer, counted from 0. */
export function chartColor(index: number): string {
  return `--chart-${Math.min(index + 1, REST)}`;
}

export function chartVariables(scheme: keyof typeof CHART_COLORS): Record<string, string> {
  return Object.fromEntries(CHART_COLORS[scheme].map((color, i) => [chartColor(i), color]));
}
