/** What the id `subject_id` of a delivery is the id of. */
export const SUBJECT_KINDS = ['job', 'batch', 'monitor', 'account'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

/** Sent on request only, and attempted once. */
export const TEST_EVENT = 'webhook.test';

/** What each event is about. */
const SUBJECTS: Readonly<Record<string, SubjectKind>> = {
  'capture.succeeded': 'job',
  'capture.changed': 'job',
  'capture.failed': 'job',
  'capture.canceled': 'job',
  'batch.completed': 'batch',
  'batch.canceled': 'batch',
  'monitor.changed': 'monitor',
  'monitor.failed': 'monitor',
  'monitor.recovered': 'monitor',
  'monitor.paused': 'monitor',
  'usage.threshold': 'account',
  [TEST_EVENT]: 'account',
};

/** All events. A delivery of another type would be in no list. */
export const EVENT_TYPES: readonly string[] = Object.keys(SUBJECTS);

export function subjectKindOf(type: string): SubjectKind {
  const kind = SUBJECTS[type];
  if (kind === undefined) throw new Error(`No event has the type ${type}`);
  return kind;
}
