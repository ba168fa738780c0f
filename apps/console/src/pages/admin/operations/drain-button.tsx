import { Button, Text } from '@mantine/core';
import type { WorkerRecord } from '@capture-service/client';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { useDrain } from './operation-queries.js';

interface DrainProps {
  readonly worker: WorkerRecord;
}

/** Drains a worker, or has it take captures again. */
export function DrainButton({ worker }: DrainProps) {
  return worker.drain ? <Resume worker={worker} /> : <Drain worker={worker} />;
}

function Drain({ worker: { id, host, busy } }: DrainProps) {
  const { mutateAsync, isPending, error, reset } = useDrain(id, true);
  return (
    <ConfirmButton
      label="Drain"
      title="Drain this worker?"
      size="compact-sm"
      onConfirm={mutateAsync}
      isPending={isPending}
      error={error}
      onOpen={reset}
    >
      <Text className="breaks">
        {host} takes no more captures within 5 seconds, and ends the {busy} that it has. Others take over:
        with none, captures wait.
      </Text>
    </ConfirmButton>
  );
}

function Resume({ worker: { id } }: DrainProps) {
  const { mutate, isPending, error } = useDrain(id, false);
  return (
    <>
      <Button size="compact-sm" loading={isPending} onClick={() => mutate()}>
        Resume
      </Button>
      {error && <ProblemAlert error={error} />}
    </>
  );
}
