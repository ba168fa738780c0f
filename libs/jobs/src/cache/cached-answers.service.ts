import { Injectable } from '@nestjs/common';
import type { Transaction } from '@app/database';
import { CachedAnswerRepository, type CachedAnswer } from './cached-answer.repository.js';
import { SharedFilesRepository } from './shared-files.repository.js';

/** Ends queued jobs with the files of captures that the cache keeps. */
@Injectable()
export class CachedAnswersService {
  constructor(
    private readonly sharedFiles: SharedFilesRepository,
    private readonly repository: CachedAnswerRepository,
  ) {}

  /**
   * queued → succeeded for these jobs, which the transaction has locked or inserted.
   *
   * @returns the ids of those that have ended. Captures whose files are gone in the meantime answer for nobody.
   */
  async give(transaction: Transaction, answers: readonly CachedAnswer[]): Promise<Set<string>> {
    if (answers.length === 0) return new Set();
    const captureIds = new Set(answers.map(({ captureId }) => captureId));
    const held = await this.sharedFiles.hold(transaction, [...captureIds]);
    return this.repository.give(
      transaction,
      answers.filter(({ captureId }) => held.has(captureId)),
    );
  }
}
