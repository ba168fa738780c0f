import { Button, Group, Stack, Text } from '@mantine/core';
import type { AccountRecord } from '@capture-service/client';
import { useState, type FormEvent } from 'react';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { changesOf, draftOf, isValid, type SettingsDraft } from './account-draft.js';
import { useAccountChange } from './account-queries.js';
import { SettingsFields } from './settings-fields.js';

/** The settings of an account, to be changed. Only what was typed is sent: what another operator changes meanwhile stays. */
export function SettingsForm({ account }: { readonly account: AccountRecord }) {
  const [typed, setTyped] = useState<Partial<SettingsDraft>>({});
  const { mutate, error, isPending, isSuccess, reset } = useAccountChange(account.id);
  const before = draftOf(account);
  const draft = { ...before, ...typed };
  const changes = changesOf(before, draft);
  const hasChanges = Object.keys(changes).length > 0;
  const save = (event: FormEvent) => {
    event.preventDefault();
    mutate(changes, { onSuccess: () => setTyped({}) });
  };
  const change = (more: Partial<SettingsDraft>) => {
    reset();
    setTyped((last) => ({ ...last, ...more }));
  };
  return (
    <form onSubmit={save} aria-label="Settings of the account">
      <Stack gap="md">
        <SettingsFields draft={draft} change={change} hasDefaults={false} />
        {error && <ProblemAlert error={error} />}
        <Group gap="sm">
          <Button type="submit" loading={isPending} disabled={!hasChanges || !isValid(before, draft)}>
            Save the settings
          </Button>
          <Button variant="default" disabled={!hasChanges} onClick={() => setTyped({})}>
            Undo
          </Button>
          <Text role="status" c="dimmed">
            {isSuccess && !hasChanges && 'Saved. All keys of the account have it within 5 seconds.'}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
