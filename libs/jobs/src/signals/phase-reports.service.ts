import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DatabaseService, NotificationsService } from '@app/database';
import type { Phase } from '@app/kernel';
import { PHASE_CHANNELS, writePhaseNote, type PhaseNote } from './phase-note.js';

/** A job may be asked for while it is queued, long before a worker has it. */
const MAX_JOBS = 20_000;
const KEPT_MS = 10 * 60_000;

/** Says in which phase a capture of this worker is. */
export type ReportPhase = (phase: Phase) => void;

/** Tells the processes of the API the phases of captures of this worker for which they have asked. Never waits for the database. */
@Injectable()
export class PhaseReportsService implements OnModuleInit {
  private readonly logger = new Logger(PhaseReportsService.name);
  private readonly asked = new LRUCache<string, true>({ max: MAX_JOBS, ttl: KEPT_MS });
  private readonly current = new Map<string, PhaseNote>();
  /** Notifications are sent one after the other, because they stand for an order. */
  private sending: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: DatabaseService,
    private readonly notifications: NotificationsService,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.notifications.listen(PHASE_CHANNELS.asked, (id) => {
      this.asked.set(id, true);
      const note = this.current.get(id);
      if (note) this.send(note);
    });
  }

  /** Runs an attempt that reports its phases. */
  async runPhase<T>(
    { id, attempt }: Pick<PhaseNote, 'id' | 'attempt'>,
    work: (report: ReportPhase) => Promise<T>,
  ): Promise<T> {
    const report = (phase: Phase): void => {
      const note = { id, attempt, phase };
      this.current.set(id, note);
      if (this.asked.has(id)) this.send(note);
    };
    report('prepare');
    try {
      return await work(report);
    } finally {
      if (this.current.get(id)?.attempt === attempt) this.current.delete(id);
    }
  }

  private send(note: PhaseNote): void {
    this.sending = this.sending.then(async () => {
      // A newer phase of the same capture follows.
      const latest = this.current.get(note.id);
      if (latest !== note) return;
      await this.database
        .notify(PHASE_CHANNELS.entered, writePhaseNote(note))
        .catch((err: unknown) => this.logger.warn({ err }, 'the phase of a job could not be sent'));
    });
  }
}
