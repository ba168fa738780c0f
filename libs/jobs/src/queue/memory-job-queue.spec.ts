import { beforeEach, describe } from '@jest/globals';
import { conformsToJobQueue } from './job-queue.conformance.js';
import { MemoryJobQueue } from './memory-job-queue.js';

describe(MemoryJobQueue.name, () => {
  let queue: MemoryJobQueue;

  beforeEach(() => {
    queue = new MemoryJobQueue();
  });

  conformsToJobQueue(() => queue);
});
