import { Injectable } from '@nestjs/common';
import { WorkerFolder } from '@app/browser';
import { Env } from '@app/config';
import type { PeriodicTask } from './periodic-task.js';

/** Removes what workers of this machine that were killed have left of their browsers, without waiting for the next worker to start. */
@Injectable()
export class BrowserFoldersTask implements PeriodicTask {
  readonly name = 'browser_folders';
  readonly periodMs = 60_000;

  constructor(private readonly env: Env) {}

  run(): Promise<void> {
    return WorkerFolder.removeStale(this.env.DATA_DIR);
  }
}
