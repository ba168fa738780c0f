import type { BatchRecord, CaptureRecord } from './generated/openapi/index.js';

type Status = CaptureRecord['status'] | BatchRecord['status'];

const FINAL = ['succeeded', 'failed', 'completed', 'canceled'] as const satisfies readonly Status[];

type Ended<R extends { readonly status: Status }> = R & {
  readonly status: Extract<R['status'], (typeof FINAL)[number]>;
};

/** Whether a capture, a job or a batch has ended: its status never changes again. */
export function hasEnded<R extends { readonly status: Status }>(record: R): record is Ended<R> {
  return (FINAL as readonly Status[]).includes(record.status);
}
