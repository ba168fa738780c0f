import {
  backgroundSlots,
  LANE_OF,
  LANES,
  listOutdatedPriorities,
  pickFairly,
  type DispatchedJob,
  type InFlight,
  type Lane,
  type NextInLanes,
} from '@app/jobs';
import { LaneTurns } from '../../apps/worker/src/captures/lane-turns.js';
import { SlotAllocator, type Slot } from '../../apps/worker/src/captures/slot-allocator.js';

/** A capture of the simulation; times in ms since the beginning. */
export interface SimulatedCapture extends DispatchedJob, Omit<InFlight, 'accountId'> {
  readonly lane: Lane;
  readonly lengthMs: number;
  readonly acceptedAt: number;
  /** Captures that its account had in progress when it was accepted, including itself. */
  readonly number: number;
  /**
   * The most lines that had captures in progress at a time while it waited: the captures of an account in one lane. Those of
   * its own lane count twice if they are more than half, because lanes take turns however many accounts each has.
   */
  lines: number;
  /** Null while it waits. */
  startedAt: number | null;
  status: 'queued' | 'running' | 'succeeded';
  priority: number | null;
  /** Orders entries of the same priority. */
  place: number;
}

interface Request {
  readonly accountId: string;
  readonly source: 'sync' | 'job';
  readonly lengthMs: number;
  readonly onEnd?: () => void;
}

interface SimulatedWorker {
  readonly turns: LaneTurns;
  readonly slots: SlotAllocator;
  readonly used: Record<Lane, number>;
  checksOfTurn: number;
}

interface Event {
  readonly schedule: number;
  readonly run: () => Promise<void> | void;
}

const CONCURRENCY = 10;
const CHECK_MS = 250;
const CHECKS_OF_TURN = 2;
const IN_FLIGHT_PER_SLOT = 2;
const UNLIMITED = { inAll: Infinity, ofOneBatch: Infinity };

/**
 * The service in simulated time: the queue, the rows and the clock are simulated, everything that decides is the code of
 * the workers and of the dispatcher. Entries of a lane are taken by priority, among equals in their order, as BullMQ does.
 */
export class SimulatedService {
  readonly captures: SimulatedCapture[] = [];
  readonly slots: { readonly interactive: number; readonly background: number };
  now = 0;
  private readonly events: Event[] = [];
  private readonly workers: SimulatedWorker[];
  private readonly servedAt = new Map<string, number>();
  private readonly ends = new Map<string, () => void>();
  private unfinished: SimulatedCapture[] = [];
  private places = 0;

  constructor(workers: number, slotsOfWorker: number) {
    this.workers = Array.from({ length: workers }, () => {
      const turns = new LaneTurns();
      const slots = new SlotAllocator(slotsOfWorker, () => turns.giveTurn());
      return { turns, slots, used: { interactive: 0, background: 0 }, checksOfTurn: 0 };
    });
    this.slots = {
      interactive: workers * slotsOfWorker,
      background: workers * backgroundSlots(slotsOfWorker),
    };
  }

  schedule(at: number, run: Event['run']): void {
    const index = this.events.findLastIndex((event) => event.schedule <= at);
    this.events.splice(index + 1, 0, { schedule: at, run });
  }

  async runUntil(end: number): Promise<void> {
    this.schedule(0, () => this.check());
    for (let event = this.events.shift(); event && event.schedule <= end; event = this.events.shift()) {
      this.now = event.schedule;
      await event.run();
    }
  }

  /** Accepts a capture. Returns false for a synchronous one of an account that has as many in progress as it may have. */
  async accept({ accountId, source, lengthMs, onEnd }: Request): Promise<boolean> {
    const lane = LANE_OF[source];
    const held = this.heldBy(accountId);
    if (source === 'sync' && held >= CONCURRENCY) return false;
    const number = this.unfinished.filter((each) => each.accountId === accountId).length + 1;
    const id = String(this.captures.length);
    const capture: SimulatedCapture = {
      id,
      accountId,
      source,
      lane,
      lengthMs,
      attempt: 0,
      batchId: null,
      host: null,
      acceptedAt: this.now,
      number,
      lines: 0,
      startedAt: null,
      status: 'queued',
      priority: null,
      place: 0,
    };
    this.captures.push(capture);
    this.unfinished.push(capture);
    if (onEnd) this.ends.set(id, onEnd);
    this.noteLines();
    if (source === 'sync') this.enqueue(capture, held + 1);
    await this.fetchAll();
    await this.round();
    return true;
  }

  /** What a round of the dispatcher does. */
  private async round(): Promise<void> {
    const queued = this.unfinished.filter(({ status }) => status === 'queued');
    const isBehind = ({ source, priority }: SimulatedCapture): boolean => source === 'sync' && priority !== 1;
    if (!queued.some((each) => each.priority === null || isBehind(each))) return;
    const { interactive = [], background = [] } = Object.groupBy(this.inFlight(), ({ lane }) => lane);
    const outdated = listOutdatedPriorities([...interactive, ...background]);
    const waiting = queued.filter(({ priority }) => priority === null);
    const accounts = [...new Set(waiting.map(({ accountId }) => accountId))]
      .map((accountId) => ({ accountId, free: CONCURRENCY - this.heldBy(accountId) }))
      .filter(({ free }) => free > 0)
      .sort((a, b) => (this.servedAt.get(a.accountId) ?? -1) - (this.servedAt.get(b.accountId) ?? -1));
    const slots = this.slots.background;
    const capacity = { slots, inAll: IN_FLIGHT_PER_SLOT * slots, hostLimits: UNLIMITED, accounts };
    for (const { job, priority } of pickFairly(waiting, { ...capacity, inFlight: background, interactive })) {
      this.servedAt.set(job.accountId, this.now);
      this.enqueue(job, priority);
    }
    for (const { job, priority } of outdated) this.enqueue(job as SimulatedCapture, priority);
    await this.fetchAll();
  }

  /** Does what each worker does four times a second. */
  private async check(): Promise<void> {
    for (const worker of this.workers) {
      if (worker.slots.isFull() || worker.slots.isKeeping()) worker.turns.update(this.readNext());
      worker.checksOfTurn = worker.slots.isKeeping() ? worker.checksOfTurn + 1 : 0;
      if (worker.checksOfTurn >= CHECKS_OF_TURN) worker.turns.skipBackground();
      await this.fetch(worker);
    }
    this.schedule(this.now + CHECK_MS, () => this.check());
  }

  private async fetchAll(): Promise<void> {
    for (const worker of this.workers) await this.fetch(worker);
  }

  /** Starts what the worker has slots for. */
  private async fetch(worker: SimulatedWorker): Promise<void> {
    for (const lane of LANES) {
      while (worker.slots.usableEntries(lane) > worker.used[lane]) {
        const capture = this.nextOf(lane);
        if (!capture) break;
        const slot = await worker.slots.acquire(lane, NEVER);
        if (!slot) break;
        if (lane === 'background' && worker.slots.isFull()) {
          worker.turns.update(this.readNext());
          if (!worker.turns.mayStartBackground()) {
            slot.release();
            break;
          }
        }
        this.start(capture, worker, slot);
      }
    }
  }

  private start(capture: SimulatedCapture, worker: SimulatedWorker, slot: Slot): void {
    const { lane, lengthMs } = capture;
    Object.assign(capture, { status: 'running', startedAt: this.now });
    worker.used[lane] += 1;
    worker.turns.started(lane);
    if (worker.slots.isFull()) worker.turns.update(this.readNext());
    this.schedule(this.now + lengthMs, async () => {
      capture.status = 'succeeded';
      this.unfinished = this.unfinished.filter((each) => each !== capture);
      worker.used[lane] -= 1;
      slot.release();
      await this.fetch(worker);
      await this.round();
      this.ends.get(capture.id)?.();
    });
  }

  private enqueue(capture: SimulatedCapture, priority: number): void {
    Object.assign(capture, { priority, place: ++this.places });
  }

  private nextOf(lane: Lane): SimulatedCapture | undefined {
    return this.unfinished
      .filter((each) => each.lane === lane && each.status === 'queued' && each.priority !== null)
      .sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0) || a.place - b.place)[0];
  }

  /** As `JobBacklogRepository.readNext` reads it from the rows. */
  private readNext(): NextInLanes {
    const next: Record<Lane, number | null> = { interactive: null, background: null };
    for (const jobs of Map.groupBy(this.inFlight(), ({ accountId }) => accountId).values()) {
      const number = jobs.filter(({ status }) => status === 'running').length + 1;
      for (const { lane, status } of jobs) {
        if (status === 'queued') next[lane] = Math.min(next[lane] ?? number, number);
      }
    }
    return next;
  }

  /** Those that have an entry or run, in the order in which they got their entries. */
  private inFlight(): SimulatedCapture[] {
    return this.unfinished.filter(({ priority }) => priority !== null);
  }

  /** How many captures the account has in the queue or running. */
  heldBy(accountId: string): number {
    return this.inFlight().filter((each) => each.accountId === accountId).length;
  }

  private noteLines(): void {
    const lines = { interactive: new Set<string>(), background: new Set<string>() };
    for (const { accountId, lane } of this.unfinished) lines[lane].add(accountId);
    const all = lines.interactive.size + lines.background.size;
    for (const each of this.unfinished) {
      if (each.status === 'queued') each.lines = Math.max(each.lines, all, 2 * lines[each.lane].size);
    }
  }
}

const NEVER = new AbortController().signal;
