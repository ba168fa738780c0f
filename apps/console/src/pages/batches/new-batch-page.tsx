import { Alert, Paper } from '@mantine/core';
import { useLocation, useSearchParams } from 'wouter';
import { useEffect, useRef, useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApi } from '../../api/client.js';
import { PageHeader } from '../../ui/page-header.js';
import { AgainLoader } from './new/again-loader.js';
import { BatchSettings } from './new/batch-settings.js';
import classes from './new/new-batch.module.css';
import { RowsPanel } from './new/rows-panel.js';
import { SourceInput } from './new/source-input.js';
import type { BatchSource } from './new/sources.js';
import { contentKey, csvOf, settingsOf, useDraft, type Draft } from './new/use-draft.js';
import { useVerdict } from './new/use-verdict.js';
import { VerdictPanel } from './new/verdict-panel.js';

export default function NewBatchPage() {
  const editor = useDraft();
  const { draft, change, setSource } = editor;
  const state = useVerdict(draft);
  const submission = useSubmission(draft);
  const [search] = useSearchParams();
  const again = search.get('again');
  const lostFile = useLeaveWarning(submission.isSuccess ? null : draft.source);
  return (
    <>
      <PageHeader
        title="New batch"
        description="Thousands of captures in one request. The rows are checked before anything is stored."
      />
      {again !== null && <AgainLoader key={again} id={again} onSource={setSource} />}
      {lostFile !== undefined && !draft.source && <LostFile name={lostFile} />}
      <div className={classes.layout}>
        {draft.source ? (
          <RowsPanel key={draft.source.id} source={draft.source} editor={editor} state={state} />
        ) : (
          <SourceInput onSource={setSource} />
        )}
        <Paper withBorder p="md" className={classes.side} component="section" aria-label="Settings">
          {draft.source && (
            <Paper pb="md" mb="md" radius={0} style={{ borderBottom: '1px solid var(--console-border)' }}>
              <VerdictPanel
                state={state}
                isSubmitting={submission.isPending}
                failure={submission.error}
                onSubmit={submission.submit}
              />
            </Paper>
          )}
          <BatchSettings draft={draft} change={change} />
        </Paper>
      </div>
    </>
  );
}

/** A browser gives a page no file again that was chosen before a reload. */
function LostFile({ name }: { readonly name: string }) {
  return (
    <Alert color="yellow" mb="md" role="status" className="breaks">
      The page was reloaded, so the rows of <bdi>{name}</bdi> have to be chosen again. Nothing was submitted.
    </Alert>
  );
}

/** Only the name: the rows may be too many for what a browser keeps, and may hold secrets. */
const KEPT = 'capture-console-batch-file';

/**
 * Has the browser ask before a reload loses the rows that were chosen, and returns the name of those that the latest reload lost.
 *
 * @param source the rows that are not submitted yet; null without any
 */
function useLeaveWarning(source: BatchSource | null): string | undefined {
  const [lost] = useState(() => sessionStorage.getItem(KEPT) ?? undefined);
  useEffect(() => {
    if (source === null) return undefined;
    sessionStorage.setItem(KEPT, source.name);
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => {
      sessionStorage.removeItem(KEPT);
      window.removeEventListener('beforeunload', ask);
    };
  }, [source]);
  // It is said once: a later visit of the page has lost nothing.
  useEffect(() => sessionStorage.removeItem(KEPT), []);
  return lost;
}

/** Submits the batch and opens its page. However often the same batch is sent, it is accepted once. */
function useSubmission(draft: Draft) {
  const { client } = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const keys = useRef(new Map<string, string>());
  const submission = useMutation({
    mutationFn: () => {
      const content = contentKey(draft);
      const idempotencyKey = keys.current.get(content) ?? newKey();
      keys.current.set(content, idempotencyKey);
      const { source } = draft;
      return source?.kind === 'rows'
        ? client.bulk.fromRows(source.items, settingsOf(draft), { idempotencyKey })
        : client.bulk.fromCsv(csvOf(draft), settingsOf(draft), { idempotencyKey });
    },
    onSuccess: ({ errors: _, ...batch }) => {
      queries.setQueryData(['batches', batch.id], batch);
      void queries.invalidateQueries({ queryKey: ['batches', 'list'] });
    },
  });
  const submit = (): void => {
    // These callbacks are left out after the page was left, so that nobody is taken away from another page.
    submission.mutate(undefined, { onSuccess: ({ id }) => navigate(`/batches/${id}`) });
  };
  return { ...submission, submit };
}

/** `crypto.randomUUID` is missing in pages that were loaded without TLS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
