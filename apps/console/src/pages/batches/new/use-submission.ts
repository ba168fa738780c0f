import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useLocation } from 'wouter';
import { useApi } from '../../../api/client.js';
import { contentKey, csvOf, settingsOf, type Draft } from './use-draft.js';

/** Submits the batch and opens its page. However often the same batch is sent, it is accepted once. */
export function useSubmission(draft: Draft) {
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
