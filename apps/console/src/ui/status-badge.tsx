import { Badge } from '@mantine/core';

const COLORS: Readonly<Record<string, string>> = {
  queued: 'gray',
  active: 'indigo',
  running: 'indigo',
  discovering: 'indigo',
  capturing: 'indigo',
  paused: 'orange',
  draining: 'orange',
  drained: 'gray',
  Changed: 'indigo',
  Same: 'teal',
  Failed: 'red',
  succeeded: 'teal',
  completed: 'teal',
  delivered: 'teal',
  ok: 'teal',
  pending: 'yellow',
  waiting: 'gray',
  degraded: 'yellow',
  failed: 'red',
  broken: 'red',
  down: 'red',
  'no answer': 'red',
  stopped: 'orange',
  canceled: 'gray',
  expired: 'orange',
  revoked: 'gray',
  deleting: 'red',
};

/** The state of anything that has one, such as a capture, a crawl, a delivery, a monitor or a worker, in a word. */
export function StatusBadge({ status }: { readonly status: string }) {
  return (
    <Badge color={COLORS[status] ?? 'gray'} variant="dot">
      {status}
    </Badge>
  );
}
