import { isId } from '@app/kernel';

/** What the id of a worker in rows says of it. */
export interface WorkerName {
  /** A UUID of version 7; of a worker of another version all of its name. */
  readonly id: string;
  readonly host: string;
  readonly startedAt: Date | null;
}

/** Reads `host:process:UUID`; a UUID of version 7 begins with the time at which it was made, which is that of the start. */
export function parseWorkerName(name: string): WorkerName {
  const id = name.slice(name.lastIndexOf(':') + 1);
  const host = name.split(':').slice(0, -2).join(':');
  const startedAt = isId(id) ? new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)) : null;
  return { id, host, startedAt };
}
