import { VisuallyHidden } from '@mantine/core';
import type { MonitorCheck, MonitorRecord } from '@capture-service/client';
import { useApi } from '../../api/client.js';
import { time } from '../../ui/format.js';
import { checkText, outcomeText, pictureOf } from './check-text.js';
import { STRIP, useLatestChecks } from './monitor-queries.js';
import classes from './monitors.module.css';

/** The last checks of a monitor as small pictures. */
export function LatestStrip({ monitor }: { readonly monitor: MonitorRecord }) {
  const { data } = useLatestChecks(monitor);
  return <CheckStrip monitor={monitor} checks={data?.toReversed() ?? []} />;
}

interface CheckStripProps {
  readonly monitor: MonitorRecord;
  /** Oldest first; the last of them are shown. */
  readonly checks: readonly MonitorCheck[];
}

/** Checks as small pictures, the latest at the right. */
export function CheckStrip({ monitor, checks }: CheckStripProps) {
  if (checks.length === 0) return <div className={classes.strip} />;
  return (
    <ol className={classes.strip} aria-label={`The last checks of ${monitor.name}, latest last`}>
      {checks.slice(-STRIP).map((check) => (
        <StripItem key={check.id} check={check} captureId={pictureOf(check, monitor)} />
      ))}
    </ol>
  );
}

interface StripItemProps {
  readonly check: MonitorCheck;
  readonly captureId: string | undefined;
}

function StripItem({ check, captureId }: StripItemProps) {
  const { urlOf } = useApi();
  const found = checkText(check);
  const words = `${outcomeText(check)}, ${time(check.due_at)}${found === '' ? '' : `: ${found}`}`;
  return (
    <li className={classes.mark} data-outcome={check.outcome ?? 'open'} title={words}>
      {captureId === undefined ? (
        <VisuallyHidden>{words}</VisuallyHidden>
      ) : (
        <img src={urlOf(`/v1/captures/${captureId}/thumbnail`)} alt={words} loading="lazy" decoding="async" />
      )}
    </li>
  );
}
