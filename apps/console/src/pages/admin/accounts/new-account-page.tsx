import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { PageHeader } from '../../../ui/page-header.js';
import { Panel } from '../../../ui/panel.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { BackLink } from '../../../ui/back-link.js';
import { EMPTY_SETTINGS, isValid, newAccountOf, type SettingsDraft } from './account-draft.js';
import { useAccountCreation } from './account-queries.js';
import { SettingsFields } from './settings-fields.js';

/** A form for a new account. What is left empty is as the service sets it. */
export default function NewAccountPage() {
  const [name, setName] = useState('');
  const [draft, setDraft] = useState<SettingsDraft>(EMPTY_SETTINGS);
  const [, navigate] = useLocation();
  const { mutate, error, isPending } = useAccountCreation();
  const create = (event: FormEvent) => {
    event.preventDefault();
    mutate(newAccountOf(name, draft), { onSuccess: ({ id }) => navigate(`/admin/accounts/${id}`) });
  };
  return (
    <Stack gap="md" maw="48rem">
      <BackLink href="/admin/accounts">Accounts</BackLink>
      <PageHeader title="New account" description="It has no keys yet: create them on its page." />
      <form onSubmit={create}>
        <Stack gap="md">
          <NamePanel name={name} onName={setName} />
          <SettingsFields
            draft={draft}
            change={(changes) => setDraft((last) => ({ ...last, ...changes }))}
            hasDefaults
          />
          {error && <ProblemAlert error={error} />}
          <Group>
            <Button
              type="submit"
              loading={isPending}
              disabled={name.trim() === '' || !isValid(EMPTY_SETTINGS, draft)}
            >
              Create the account
            </Button>
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}

interface NameProps {
  readonly name: string;
  readonly onName: (name: string) => void;
}

function NamePanel({ name, onName }: NameProps) {
  return (
    <Panel title="Account">
      <TextInput
        label="Name"
        description="It never changes."
        placeholder="acme"
        autoComplete="off"
        spellCheck={false}
        value={name}
        onChange={(event) => onName(event.currentTarget.value)}
      />
    </Panel>
  );
}
