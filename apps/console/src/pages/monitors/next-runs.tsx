import { Text } from '@mantine/core';
import type { MonitorRequest } from '@capture-service/client';
import { time } from '../../ui/format.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { usePreview } from './monitor-queries.js';
import classes from './monitors.module.css';

/** The next five instants of a schedule, as the service counts them. */
export function NextRuns({ schedule }: { readonly schedule: MonitorRequest['schedule'] | undefined }) {
  const { data, error } = usePreview(schedule);
  if (schedule === undefined) return null;
  if (error) return <ProblemAlert error={error} title="This schedule cannot be used" />;
  if (!data) return <Text c="dimmed">…</Text>;
  return (
    <ol className={classes.list} aria-label="The next checks">
      {data.map((iso) => (
        <li key={iso} className="numeric">
          <time dateTime={iso}>{time(iso)}</time>
        </li>
      ))}
    </ol>
  );
}
