import { Button, Group, Stack, Text } from '@mantine/core';
import type { KeyRecord } from '@capture-service/client';
import { useState, type FormEvent } from 'react';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { keyChangeOf, limitsOf, type LimitDraft } from './key-draft.js';
import { LimitFields } from './key-fields.js';
import { useKeyChange } from './key-queries.js';

/** The limits of a key, to be changed. Only what was typed is sent: what another operator changes meanwhile stays. */
export function LimitsForm({ record }: { readonly record: KeyRecord }) {
  const [typed, setTyped] = useState<Partial<LimitDraft>>({});
  const { mutate, error, isPending, isSuccess, reset } = useKeyChange(record.id);
  const before = limitsOf(record);
  const changes = keyChangeOf(before, { ...before, ...typed });
  const hasChanges = Object.keys(changes).length > 0;
  const save = (event: FormEvent) => {
    event.preventDefault();
    mutate(changes, { onSuccess: () => setTyped({}) });
  };
  const change = (more: Partial<LimitDraft>) => {
    reset();
    setTyped((last) => ({ ...last, ...more }));
  };
  return (
    <form onSubmit={save} aria-label="Limits of the key">
      <Stack gap="md">
        <LimitFields title="Limits" draft={{ ...before, ...typed }} change={change} />
        {error && <ProblemAlert error={error} />}
        <Group gap="sm">
          <Button type="submit" loading={isPending} disabled={!hasChanges}>
            Save the limits
          </Button>
          <Button variant="default" disabled={!hasChanges} onClick={() => setTyped({})}>
            Undo
          </Button>
          <Text role="status" c="dimmed">
            {isSuccess &&
              !hasChanges &&
              'Saved. It applies within 5 seconds; captures that were accepted keep theirs.'}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
