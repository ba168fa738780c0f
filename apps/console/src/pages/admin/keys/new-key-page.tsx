import { Button, Group, Stack } from '@mantine/core';
import type { NewKeyRecord } from '@capture-service/client';
import { useState, type FormEvent } from 'react';
import { Link, useSearchParams } from 'wouter';
import { PageHeader } from '../../../ui/page-header.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { BackLink } from '../../../ui/back-link.js';
import { EMPTY_KEY, newKeyOf, type KeyDraft } from './key-draft.js';
import { KeyFields, LimitFields } from './key-fields.js';
import { useKeyCreation } from './key-queries.js';
import { ShownKey } from './shown-key.js';

/** A form for a new key, and then the key, once. */
export default function NewKeyPage() {
  const [search] = useSearchParams();
  const account = search.get('account');
  const [draft, setDraft] = useState<KeyDraft>({ ...EMPTY_KEY, accountId: account ?? '' });
  const { mutate, data, error, isPending } = useKeyCreation();
  const change = (changes: Partial<KeyDraft>) => setDraft((last) => ({ ...last, ...changes }));
  const create = (event: FormEvent) => {
    event.preventDefault();
    mutate(newKeyOf(draft));
  };
  return (
    <Stack gap="md" maw="48rem">
      <BackLink href="/admin/keys">Keys</BackLink>
      <PageHeader title="New key" />
      {data ? (
        <Made made={data} />
      ) : (
        <form onSubmit={create}>
          <Stack gap="md">
            <KeyFields draft={draft} change={change} givenAccount={account} />
            <LimitFields title="Limits (optional)" draft={draft} change={change} />
            {error && <ProblemAlert error={error} />}
            <Group>
              <Button
                type="submit"
                loading={isPending}
                disabled={draft.accountId === '' || draft.scopes.length === 0}
              >
                Create the key
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Stack>
  );
}

function Made({ made: { id, name, key } }: { readonly made: NewKeyRecord }) {
  return (
    <ShownKey title={`The key ${name} is made`} value={key}>
      <Group>
        <Button component={Link} href={`/admin/keys/${id}`} variant="default">
          {key === null ? 'Show the key' : 'I have copied it'}
        </Button>
      </Group>
    </ShownKey>
  );
}
