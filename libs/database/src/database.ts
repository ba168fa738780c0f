import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** A transaction in progress; repositories take it so that several of them share one. */
export type Transaction = EntityManager;

/** Runs work of several repositories in one transaction, and plain statements. */
@Injectable()
export class Database {
  constructor(private readonly source: DataSource) {}

  /** Commits when `work` resolves, rolls back when it rejects. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.source.transaction(work);
  }

  /** Whether the database answers; rejects when it does not. */
  async ping(): Promise<void> {
    await this.source.query('SELECT 1');
  }
}
