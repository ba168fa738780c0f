import { Button, Text, TextInput } from '@mantine/core';
import type { AccountRecord } from '@capture-service/client';
import { useState } from 'react';
import { useApi } from '../../../api/client.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { useAccountDeletion, usePause, useResumption } from './account-queries.js';

interface ButtonsProps {
  readonly account: AccountRecord;
}

/** Pauses, resumes and deletes an account. */
export function AccountButtons({ account }: ButtonsProps) {
  const { accountId } = useApi();
  return (
    <>
      {account.state === 'paused' ? <Resume account={account} /> : <Pause account={account} />}
      {account.id !== accountId && <Delete account={account} />}
    </>
  );
}

function Pause({ account }: ButtonsProps) {
  const { mutateAsync, isPending, error, reset } = usePause(account.id);
  return (
    <ConfirmButton
      label="Pause"
      title="Pause this account?"
      onConfirm={mutateAsync}
      isPending={isPending}
      error={error}
      onOpen={reset}
    >
      <Text className="breaks">
        Everything new of {account.name} is refused: captures, batches, sessions, monitors and links. What was
        accepted before ends, and the account can still read and delete what it has.
      </Text>
    </ConfirmButton>
  );
}

function Resume({ account }: ButtonsProps) {
  const { mutate, isPending, error } = useResumption(account.id);
  return (
    <>
      <Button loading={isPending} onClick={() => mutate()}>
        Resume
      </Button>
      {error && <ProblemAlert error={error} />}
    </>
  );
}

/** A deletion cannot be undone, so that it asks for the name. */
function Delete({ account: { id, name } }: ButtonsProps) {
  const [typed, setTyped] = useState('');
  const { mutateAsync, isPending, error, reset } = useAccountDeletion(id);
  return (
    <ConfirmButton
      label="Delete"
      title="Delete this account?"
      onConfirm={mutateAsync}
      isPending={isPending}
      isReady={typed === name}
      error={error}
      onOpen={() => {
        reset();
        setTyped('');
      }}
    >
      <Text className="breaks">
        The keys of {name} are revoked at once, and all that it has is deleted: captures with their files,
        batches, webhooks, sessions, monitors and usage. It cannot be undone.
      </Text>
      <TextInput
        label="Name of the account, to confirm"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </ConfirmButton>
  );
}
