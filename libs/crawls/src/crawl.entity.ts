import type { ErrorBody } from '@app/kernel';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { CrawlRules } from './crawl-rules.js';
import type { CrawlStage, CrawlState, Skipped } from './crawl-state.js';

/** A site whose pages are found and captured as one batch. */
@Entity('crawls')
export class Crawl {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** Null for a dry run, which captures nothing. */
  @Column('uuid', { name: 'batch_id', nullable: true })
  batchId!: string | null;

  /** The start, normalised. */
  @Column('text')
  url!: string;

  @Column('json')
  rules!: CrawlRules;

  /** The options of every capture, sealed; null once the crawl has ended. */
  @Column('bytea', { nullable: true })
  defaults!: Buffer | null;

  @Column('text')
  state!: CrawlState;

  @Column('text')
  stage!: CrawlStage;

  /** The sitemaps that robots.txt names. */
  @Column('text', { array: true })
  sitemaps!: string[];

  /** Pages that the crawl captures; in a dry run, that it would. */
  @Column('integer')
  discovered!: number;

  @Column('json')
  skipped!: Skipped;

  /** Seconds from one capture to the next, which robots.txt or the answers of the site ask for. */
  @Column('integer', { name: 'delay_s' })
  delayS!: number;

  /** The site asked not to be visited before. */
  @Column({ type: 'timestamptz', name: 'paused_until', precision: 3, nullable: true })
  pausedUntil!: Date | null;

  @Column('json', { nullable: true })
  error!: ErrorBody | null;

  @Column('uuid', { nullable: true })
  lease!: string | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, insert: false })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'finished_at', precision: 3, nullable: true })
  finishedAt!: Date | null;
}
