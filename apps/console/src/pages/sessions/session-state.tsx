import { Group, Loader } from '@mantine/core';
import type { SessionRecord } from '@capture-service/client';
import { StatusBadge } from '../../ui/status-badge.js';

/** The state of a session, and whether it logs in at the moment. */
export function SessionState({ session }: { readonly session: SessionRecord }) {
  return (
    <Group gap={6} wrap="nowrap">
      <StatusBadge status={session.status} />
      {session.is_logging_in && <Loader size={12} role="status" aria-label="Logging in" />}
    </Group>
  );
}
