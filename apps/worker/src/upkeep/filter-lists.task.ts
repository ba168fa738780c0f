import { Injectable } from '@nestjs/common';
import { FilterListsService } from '@app/filters';
import type { PeriodicTask } from './periodic-task.js';

/** Downloads the filter lists of this worker when they are due, and reads the operator's own rules when they have changed. */
@Injectable()
export class FilterListsTask implements PeriodicTask {
  readonly name = 'filter_lists';
  readonly periodMs = 60_000;

  constructor(private readonly lists: FilterListsService) {}

  run(signal: AbortSignal): Promise<void> {
    return this.lists.refresh(signal);
  }
}
