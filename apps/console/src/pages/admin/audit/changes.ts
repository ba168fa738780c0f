import type { AuditRecord } from '@capture-service/client';

/** A field before and after a change, as texts; – stands for none. */
export interface FieldChange {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

const NONE = '–';

/** The fields that a change has set, in the order of the API. What stayed as it was is left out. */
export function changesOf({ before, after }: Pick<AuditRecord, 'before' | 'after'>): readonly FieldChange[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields
    .map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
    .filter((change) => change.before !== change.after);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return NONE;
  if (Array.isArray(value)) return value.length === 0 ? NONE : value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
