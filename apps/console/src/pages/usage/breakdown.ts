import type { UsageDays } from '@capture-service/client';
import { chartColor } from '../../charts/palette.js';
import type { Layer } from '../../charts/stack.js';

type Counts = Readonly<Record<string, number>>;
type CountsField = 'charged_by_source' | 'error_code';

/** Codes beyond these share one colour. */
const SHOWN_CODES = 5;
const OTHERS = 'other codes';

const SOURCES: Readonly<Record<string, string>> = {
  sync: 'sync: requests and links',
  job: 'job',
  batch: 'batch',
};

/** What was charged, by source; all sources, in the order of the API. */
export function sourceLayers(usage: UsageDays): Layer[] {
  return Object.keys(usage.charged_by_source).map((key, i) => ({
    key,
    label: SOURCES[key] ?? key,
    color: chartColor(i),
    values: seriesOf(usage, 'charged_by_source', key),
  }));
}

/** What failed, by error code: the most frequent ones, and all others together. */
export function codeLayers(usage: UsageDays): Layer[] {
  const codes = byCount(usage.error_code);
  const shown = codes.length > SHOWN_CODES + 1 ? codes.slice(0, SHOWN_CODES) : codes;
  const rest = codes.slice(shown.length);
  const layers = shown.map((code, i) => ({
    key: code,
    label: code,
    color: chartColor(i),
    values: seriesOf(usage, 'error_code', code),
  }));
  if (rest.length === 0) return layers;
  const values = usage.days.map(({ error_code: counts }) =>
    rest.reduce((sum, code) => sum + (counts[code] ?? 0), 0),
  );
  return [
    ...layers,
    { key: OTHERS, label: `${rest.length} ${OTHERS}`, color: chartColor(SHOWN_CODES), values },
  ];
}

/** The keys with the highest counts first. */
export function byCount(counts: Counts): string[] {
  return Object.entries(counts)
    .toSorted(([a, one], [b, other]) => other - one || a.localeCompare(b))
    .map(([key]) => key);
}

function seriesOf({ days }: UsageDays, field: CountsField, key: string): number[] {
  return days.map((day) => day[field][key] ?? 0);
}

/** The value of a layer on a day; the sum of all days without one. */
export function valueOf({ values }: Layer, day: number | null): number {
  return day === null ? values.reduce((sum, value) => sum + value, 0) : (values[day] ?? 0);
}
