import type { WebhookDelivery } from '@app/webhooks';

const STATE_WIDTH = 9;

/** A delivery without its log and body, for `--json`. */
export function deliveryJson(delivery: WebhookDelivery, account: string) {
  const { id, subjectId, type, url, state, attempts, log } = delivery;
  return {
    id,
    account,
    subject_id: subjectId,
    type,
    url,
    state,
    attempts,
    last_status: log.at(-1)?.status ?? null,
    next_attempt_at: state === 'pending' ? delivery.nextAttemptAt.toISOString() : null,
    created_at: delivery.createdAt.toISOString(),
    finished_at: delivery.finishedAt?.toISOString() ?? null,
  };
}

export function deliveryLine(delivery: WebhookDelivery, account: string): string {
  const { id, state, type, url, attempts, createdAt } = delivery;
  const count = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  return `${id}  ${state.padEnd(STATE_WIDTH)}  ${seconds(createdAt)}  ${account}  ${type}  ${count}  ${url}\n`;
}

export function deliveryText(delivery: WebhookDelivery, account: string): string {
  const { id, subjectId, type, url, state, nextAttemptAt, createdAt, finishedAt, log, body } = delivery;
  const facts = {
    webhook: id,
    account,
    'job or batch': subjectId,
    event: type,
    url,
    state,
    created: seconds(createdAt),
    ...(state === 'pending' ? { 'next attempt': seconds(nextAttemptAt) } : {}),
    ...(finishedAt && { ended: seconds(finishedAt) }),
  };
  const head = Object.entries(facts).map(([name, fact]) => `${`${name}:`.padEnd(14)}${fact}\n`);
  const attempts = log.map(
    ({ at, status, error, duration_ms: ms }) =>
      `  ${at}  ${status ?? '---'}  ${ms} ms${error === null ? '' : `  ${error}`}\n`,
  );
  return `${head.join('')}\n${attempts.join('') || '  (no attempt yet)\n'}\n${body}\n`;
}

function seconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
