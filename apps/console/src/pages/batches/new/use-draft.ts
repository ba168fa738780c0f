import type { CaptureOptions, Csv } from '@capture-service/client';
import { useMemo, useState } from 'react';
import { rewriteTable } from './csv-table.js';
import type { BatchSource } from './sources.js';

export type OnInvalid = 'reject' | 'skip';

/** A batch before it is submitted. */
export interface Draft {
  readonly source: BatchSource | null;
  /** What each column of a CSV is called when it is sent; null leaves it out. */
  readonly names: readonly (string | null)[];
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly onInvalid: OnInvalid;
  readonly webhookUrl: string;
}

export interface DraftEditor {
  readonly draft: Draft;
  readonly change: (changes: Partial<Omit<Draft, 'source' | 'names'>>) => void;
  /** Null starts over; the settings stay. */
  readonly setSource: (source: BatchSource | null) => void;
  readonly setName: (column: number, name: string | null) => void;
  readonly setNames: (names: readonly (string | null)[]) => void;
}

const EMPTY: Draft = { source: null, names: [], defaults: {}, onInvalid: 'reject', webhookUrl: '' };

export function useDraft(): DraftEditor {
  const [draft, setDraft] = useState(EMPTY);
  const actions = useMemo(
    () => ({
      change: (changes: Partial<Draft>) => setDraft((old) => ({ ...old, ...changes })),
      setSource: (source: BatchSource | null) =>
        setDraft((old) => ({ ...old, source, names: columnsOf(source) })),
      setName: (column: number, name: string | null) =>
        setDraft((old) => ({ ...old, names: old.names.with(column, name) })),
      setNames: (names: readonly (string | null)[]) => setDraft((old) => ({ ...old, names })),
    }),
    [],
  );
  return { draft, ...actions };
}

export function columnsOf(source: BatchSource | null): readonly string[] {
  return source?.kind === 'csv' ? (source.table?.columns ?? []) : [];
}

/** The CSV as it is sent: the file itself as long as no column has another name. */
export function csvOf({ source, names }: Draft): Csv {
  if (source?.kind !== 'csv') return '';
  const { table, bytes } = source;
  const isUnchanged = table === null || table.columns.every((column, i) => column === names[i]);
  return isUnchanged ? bytes : rewriteTable(table, names);
}

export function settingsOf({ defaults, onInvalid, webhookUrl }: Draft) {
  return {
    ...(Object.keys(defaults).length > 0 && { defaults: defaults as object as CaptureOptions }),
    ...(webhookUrl !== '' && { webhook_url: webhookUrl }),
    on_invalid: onInvalid,
  };
}

/** Identifies what is sent: equal for equal requests. */
export function contentKey({ source, ...rest }: Draft): string {
  return JSON.stringify([source?.id, rest]);
}
