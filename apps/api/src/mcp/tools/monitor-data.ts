import type { MonitorCheck, MonitorRecord } from '@capture-service/client';

/** What models see of a monitor. */
export function monitorItem(monitor: MonitorRecord): object {
  const { id, name, state, pause_reason, next_run_at, schedule, capture, batch, last_check } = monitor;
  const pages = capture ? [capture] : (batch?.items ?? []);
  return {
    id,
    name,
    state,
    pause_reason,
    next_run_at,
    schedule,
    urls: pages.map(({ url }) => url ?? null),
    last_check: last_check && checkItem(last_check),
  };
}

/** What models see of a check: its captures, which other tools show. */
export function checkItem(check: MonitorCheck): object {
  const { url, due_at, outcome, reason, change, capture_ids, error } = check;
  return {
    url,
    due_at,
    outcome,
    reason,
    capture_ids,
    change: change && {
      ratio: change.ratio,
      summary: change.summary,
      compared_with: change.compared_with,
      lines: change.lines.map(({ before, after }) => ({ before, after })),
    },
    error: error && `${error.code}: ${error.detail}`,
  };
}
