import { createTheme, type CSSVariablesResolver } from '@mantine/core';
import { chartVariables } from '../charts/palette.js';

/** Settings that the whole console shares: one accent colour, small type, quiet borders. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: 7,
  autoContrast: true,
  luminanceThreshold: 0.35,
  respectReducedMotion: true,
  cursorType: 'pointer',
  defaultRadius: 'md',
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Consolas, monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.25rem' }, h2: { fontSize: '1rem' }, h3: { fontSize: '0.875rem' } },
  },
  components: {
    // Faults are as large as the other small texts.
    InputWrapper: { styles: { error: { fontSize: 'var(--mantine-font-size-xs)' } } },
    Button: { defaultProps: { size: 'xs' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    TextInput: { defaultProps: { size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs' } },
    MultiSelect: { defaultProps: { size: 'xs' } },
    TagsInput: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs' } },
    Switch: { defaultProps: { size: 'xs' } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Anchor: { defaultProps: { underline: 'always' } },
    Text: { defaultProps: { size: 'sm' } },
    Table: { defaultProps: { fz: 'sm', verticalSpacing: 6, highlightOnHover: true } },
    Tooltip: { defaultProps: { openDelay: 300, fz: 'xs' } },
    Badge: { defaultProps: { size: 'sm', variant: 'light', radius: 'sm', tt: 'none', fw: 500 } },
  },
});

/** Dimmed text that keeps a contrast of 4.5 to 1 on every surface of the console (WCAG 2.2, 1.4.3). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...chartVariables('light'),
    '--mantine-color-dimmed': '#5c636b',
    '--mantine-color-error': '#c92a2a',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-orange-light-color': '#9a3a08',
    '--mantine-color-yellow-light-color': '#7a4d00',
    '--console-surface': '#fafafa',
    '--console-border': '#e5e7eb',
  },
  dark: {
    ...chartVariables('dark'),
    '--mantine-color-red-light': '#2f1b1e',
    '--mantine-color-red-light-color': '#ffa8a8',
    '--mantine-color-body': '#16181d',
    '--mantine-color-dimmed': '#a0a6b0',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-placeholder': '#8b919b',
    '--console-surface': '#1c1f26',
    '--console-border': '#2b2f38',
  },
});
