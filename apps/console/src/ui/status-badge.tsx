import { Badge } from '@mantine/core';

const COLORS: Readonly<Record<string, string>> = {
  queued: 'gray',
  active: 'indigo',
  running: 'indigo',
  succeeded: 'teal',
  completed: 'teal',
  delivered: 'teal',
  ok: 'teal',
  pending: 'yellow',
  waiting: 'gray',
  degraded: 'yellow',
  failed: 'red',
  down: 'red',
  'no answer': 'red',
  stopped: 'orange',
  canceled: 'gray',
  expired: 'orange',
  revoked: 'gray',
};

/** The state of a capture, a batch, a delivery, a session or a check, in the word of the API. */
export function StatusBadge({ status }: { readonly status: string }) {
  return (
    <Badge color={COLORS[status] ?? 'gray'} variant="dot">
      {status}
    </Badge>
  );
}
