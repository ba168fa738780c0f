import { jsonConsumer } from './answers.js';
import type { CaptureOptions } from './capture-options.js';
import { pathOf } from './checks.js';
import {
  changeMonitor,
  createMonitor,
  deleteMonitor,
  getMonitor,
  listMonitorChecks,
  listMonitors,
  pauseMonitor,
  previewMonitor,
  resumeMonitor,
  runMonitor,
  type ListMonitorChecksData,
  type ListMonitorsData,
  type MonitorChange,
  type MonitorCheck,
  type MonitorCheckList,
  type MonitorList,
  type MonitorPreview,
  type MonitorRecord,
  type NewMonitor,
} from './generated/openapi/index.js';
import { PAGE_ITEMS, pages } from './pages.js';
import type { CallOptions, Transport, Wire } from './transport.js';

interface MonitorTarget {
  /** The page that is watched; or `batch`. */
  readonly capture?: CaptureOptions | undefined;
  /** Up to 50 pages under one schedule. */
  readonly batch?:
    | { readonly items: readonly CaptureOptions[]; readonly defaults?: Partial<CaptureOptions> | undefined }
    | undefined;
}

/** A monitor watches the page of `capture`, or those of `batch`. */
export type MonitorRequest = Omit<NewMonitor, 'capture' | 'batch'> & MonitorTarget;
/** What is missing stays; `webhook_url: null` removes the address, and `notify` replaces all receivers. */
export type MonitorUpdate = Omit<MonitorChange, 'capture' | 'batch' | 'webhook_url'> &
  MonitorTarget & { readonly webhook_url?: string | null | undefined };
export type MonitorFilters = NonNullable<ListMonitorsData['query']>;
export type MonitorCheckFilters = NonNullable<ListMonitorChecksData['query']>;

/** Monitors capture pages on a schedule, and send events when they change. */
export class MonitorsApi {
  constructor(private readonly transport: Transport) {}

  /** Makes a monitor. A period begins at once, a cron expression is awaited. */
  async create(monitor: MonitorRequest, call?: CallOptions): Promise<MonitorRecord> {
    const { data } = await createMonitor({ ...this.json(call), body: monitor as NewMonitor });
    return data;
  }

  /** The next five instants of a schedule, in UTC. Nothing is made. */
  async preview(schedule: MonitorPreview['schedule'], call?: CallOptions): Promise<readonly string[]> {
    const { data } = await previewMonitor({ ...this.json(call), body: { schedule } });
    return data.next_runs;
  }

  /** All monitors, newest first. They are requested page by page, as far as they are read. */
  list({ limit = PAGE_ITEMS, ...filters }: Omit<MonitorFilters, 'cursor'> = {}, call?: CallOptions) {
    return pages<MonitorRecord>((cursor) =>
      this.page({ ...filters, limit, ...(cursor !== undefined && { cursor }) }, call),
    );
  }

  /** One page of the monitors, and the cursor of the next one. */
  async page(query: MonitorFilters = {}, call?: CallOptions): Promise<MonitorList> {
    const { data } = await listMonitors({ ...this.json(call), query });
    return data;
  }

  async get(id: string, call?: CallOptions): Promise<MonitorRecord> {
    const { data } = await getMonitor({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  async update(id: string, change: MonitorUpdate, call?: CallOptions): Promise<MonitorRecord> {
    const body = change as MonitorChange;
    const { data } = await changeMonitor({ ...this.json(call), path: pathOf({ id }), body });
    return data;
  }

  /** Deletes the monitor and its checks. Its captures stay until they expire. */
  async delete(id: string, call?: CallOptions): Promise<void> {
    await deleteMonitor({ ...this.json(call), path: pathOf({ id }) });
  }

  /** Checks the pages now, also while the monitor is paused. */
  async run(id: string, call?: CallOptions): Promise<MonitorRecord> {
    const { data } = await runMonitor({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  async pause(id: string, call?: CallOptions): Promise<MonitorRecord> {
    const { data } = await pauseMonitor({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** Goes on with the next instant. */
  async resume(id: string, call?: CallOptions): Promise<MonitorRecord> {
    const { data } = await resumeMonitor({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** All checks of a monitor, latest first. They are requested page by page, as far as they are read. */
  checks(
    id: string,
    { limit = PAGE_ITEMS, ...filters }: Omit<MonitorCheckFilters, 'cursor'> = {},
    call?: CallOptions,
  ): AsyncGenerator<MonitorCheck, void, undefined> {
    return pages<MonitorCheck>((cursor) =>
      this.checkPage(id, { ...filters, limit, ...(cursor !== undefined && { cursor }) }, call),
    );
  }

  /** One page of the checks, and the cursor of the next one. */
  async checkPage(
    id: string,
    query: MonitorCheckFilters = {},
    call?: CallOptions,
  ): Promise<MonitorCheckList> {
    const { data } = await listMonitorChecks({ ...this.json(call), path: pathOf({ id }), query });
    return data;
  }

  private json(call: CallOptions = {}): Wire {
    return this.transport.wire({ call, consume: jsonConsumer });
  }
}
