import { hostname } from 'node:os';
import { newId } from '@app/kernel';

/** Identifies this process in leases and heartbeats; a restarted worker is another worker. */
export class WorkerIdentity {
  readonly id = `${hostname()}:${process.pid}:${newId()}`;
}
