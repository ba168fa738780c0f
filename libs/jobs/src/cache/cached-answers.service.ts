import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import type { CacheAnswer } from '../job/job-state.js';
import { CachedAnswerRepository, type CachedAnswer } from './cached-answer.repository.js';
import { SharedFilesRepository } from './shared-files.repository.js';

/** Ends queued jobs with the files of captures that the cache keeps. */
@Injectable()
export class CachedAnswersService {
  private readonly listeners: ((status: CacheAnswer) => void)[] = [];

  constructor(
    private readonly sharedFiles: SharedFilesRepository,
    private readonly repository: CachedAnswerRepository,
  ) {}

  /** Calls `listener` for each job that this process ends with a cached answer. */
  onGiven(listener: (status: CacheAnswer) => void): void {
    this.listeners.push(listener);
  }

  /**
   * queued → succeeded for these jobs, which the transaction has locked or inserted.
   *
   * @returns the ids of those that have ended. Captures whose files are gone in the meantime answer for nobody.
   */
  async give(transaction: Transaction, answers: readonly CachedAnswer[]): Promise<Set<string>> {
    if (answers.length === 0) return new Set();
    const captureIds = new Set(answers.map(({ captureId }) => captureId));
    const held = await this.sharedFiles.hold(transaction, [...captureIds]);
    const ended = await this.repository.give(
      transaction,
      answers.filter(({ captureId }) => held.has(captureId)),
    );
    for (const { jobId, status } of answers) {
      if (ended.has(jobId)) for (const listener of this.listeners) listener(status);
    }
    return ended;
  }
}
