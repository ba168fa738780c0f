import { hostname } from 'node:os';
import { newId } from '@app/kernel';

/** Names this process in leases and in the registry; a restarted worker is another worker. */
export class WorkerIdentity {
  readonly id = `${hostname()}:${process.pid}:${newId()}`;
}
