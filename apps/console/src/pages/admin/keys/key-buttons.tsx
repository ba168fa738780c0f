import { SegmentedControl, Stack, Text } from '@mantine/core';
import type { KeyRecord } from '@capture-service/client';
import { useState } from 'react';
import { useApi } from '../../../api/client.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { managedBy } from './key-draft.js';
import { useRevocation, type useKeyRotation } from './key-queries.js';

/** How long the secret before still works, in s. */
const OVERLAPS = [
  { value: '0', label: 'None' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
];
const DEFAULT_OVERLAP = '86400';

interface RotateProps {
  readonly record: KeyRecord;
  readonly rotation: ReturnType<typeof useKeyRotation>;
}

/** Gives a key another secret, if it can be changed here. */
export function Rotate({ record, rotation }: RotateProps) {
  const { previous_until: until } = record;
  const [overlap, setOverlap] = useState(DEFAULT_OVERLAP);
  if (managedBy(record) !== null) return null;
  return (
    <ConfirmButton
      label="Rotate"
      title="Rotate this key?"
      onConfirm={() => rotation.mutateAsync(Number(overlap))}
      isPending={rotation.isPending}
      error={rotation.error}
      onOpen={rotation.reset}
    >
      <Text>
        The key gets another secret, which is shown once. Its id, its limits, its links and its log-ins stay.
      </Text>
      <Stack gap={4}>
        <Text fw={500}>Time for which the secret before still works</Text>
        <SegmentedControl
          aria-label="Time for which the secret before still works"
          data={OVERLAPS}
          value={overlap}
          onChange={setOverlap}
        />
      </Stack>
      {until !== null && <Text fw={600}>The secret of an earlier rotation stops working at once.</Text>}
    </ConfirmButton>
  );
}

/** Ends a key. */
export function Revoke({ record: { id, name } }: { readonly record: KeyRecord }) {
  const { keyId } = useApi();
  const { mutateAsync, isPending, error, reset } = useRevocation(id);
  return (
    <ConfirmButton
      label="Revoke"
      title="Revoke this key?"
      onConfirm={mutateAsync}
      isPending={isPending}
      error={error}
      onOpen={reset}
    >
      <Text className="breaks">
        {name}, its links and its log-ins stop working within 5 seconds. It cannot be undone.
      </Text>
      {id === keyId && <Text fw={600}>It is the key that you are logged in with: you are logged out.</Text>}
    </ConfirmButton>
  );
}
