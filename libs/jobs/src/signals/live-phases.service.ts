import { EventEmitter } from 'node:events';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DatabaseService, NotificationsService } from '@app/database';
import type { Phase } from '@app/kernel';
import type { JobStatus } from '../job/job-state.js';
import { PHASE_CHANNELS, readPhaseNote, type PhaseNote } from './phase-note.js';

/** Phases are known of so many jobs that callers look at, for as long as a capture lasts at most. */
const MAX_JOBS = 10_000;
const KEPT_MS = 10 * 60_000;
/** A question, or its answer, may be lost. */
const ASK_EVERY_MS = 5_000;

interface PhasedJob {
  readonly id: string;
  readonly attempt: number;
  readonly status: JobStatus;
}

/**
 * The phases of running captures, for callers who watch them. They are in no row: a worker is asked for those of a job once
 * a caller looks at it, and then notifies of each change. Captures at which nobody looks cost nothing. What is lost only makes
 * the phase null or late, until it is asked for again.
 */
@Injectable()
export class LivePhasesService extends EventEmitter<{ entered: [jobId: string] }> implements OnModuleInit {
  private readonly logger = new Logger(LivePhasesService.name);
  private readonly known = new LRUCache<string, PhaseNote>({ max: MAX_JOBS, ttl: KEPT_MS });
  private readonly asked = new LRUCache<string, true>({ max: MAX_JOBS, ttl: ASK_EVERY_MS });

  constructor(
    private readonly database: DatabaseService,
    private readonly notifications: NotificationsService,
  ) {
    super();
  }

  async onModuleInit(): Promise<void> {
    await this.notifications.listen(PHASE_CHANNELS.entered, (payload) => {
      const note = readPhaseNote(payload);
      if (note) this.enter(note);
    });
  }

  /** The phase that the job is in; null when it does not run, and while it is not known. */
  phaseOf({ id, attempt, status }: PhasedJob): Phase | null {
    const note = status === 'running' ? this.known.get(id) : undefined;
    return note?.attempt === attempt ? note.phase : null;
  }

  /** Asks the worker of an unfinished job for its phases, unless that was done some seconds ago. Never waits. */
  ask(job: PhasedJob): void {
    const isOpen = job.status === 'queued' || job.status === 'running';
    if (!isOpen || this.asked.has(job.id)) return;
    this.asked.set(job.id, true);
    this.database
      .notify(PHASE_CHANNELS.asked, job.id)
      .catch((err: unknown) => this.logger.warn({ err }, 'the phase of a job could not be asked for'));
  }

  private enter(note: PhaseNote): void {
    const before = this.known.get(note.id);
    if (before && before.attempt > note.attempt) return;
    this.known.set(note.id, note);
    this.emit('entered', note.id);
  }
}
