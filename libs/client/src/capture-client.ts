import { AdminApi } from './admin-api.js';
import {
  healthConsumer,
  isHealthOfOutage,
  jsonConsumer,
  type CaptureFile,
  type SavedFile,
} from './answers.js';
import { BulkApi } from './bulk-api.js';
import { CaptureError } from './capture-error.js';
import type { CaptureOptions, FileCaptureOptions, RecordCaptureOptions } from './capture-options.js';
import { CapturesApi } from './captures-api.js';
import { checkText } from './checks.js';
import { CAPTURE_FILE, download, downloadTo, type Download } from './downloads.js';
import {
  capturePage,
  getHealth,
  getStatus,
  getUsage,
  getUsageByDay,
  getVersion,
  listDevices,
  type CaptureRecord,
  type Device,
  type GetUsageByDayData,
  type Health,
  type ServiceStatus,
  type ServiceVersion,
  type Usage,
  type UsageDays,
} from './generated/openapi/index.js';
import { JobsApi } from './jobs-api.js';
import { CrawlsApi } from './crawls-api.js';
import { LinksApi, type SigningSecret } from './links-api.js';
import { MonitorsApi } from './monitors-api.js';
import { SessionsApi } from './sessions-api.js';
import { Transport, type CallOptions, type TransportOptions, type Wire } from './transport.js';
import { WebhooksApi } from './webhooks-api.js';

export interface CaptureClientOptions extends TransportOptions {
  /** Lets `links.sign` sign on this machine, without a request. */
  readonly signing?: SigningSecret | undefined;
}

/** Days in UTC, such as `2026-11-01`; `to` is the day after the last one. */
export type DayRange = NonNullable<GetUsageByDayData['query']>;

/** The service waits 30 s for a worker, and notices a dead one within 45 s. */
const SLACK_MS = 80_000;
const CAPTURE_TIMEOUT_MS = 60_000;

/** Calls Capture Service. All methods throw `CaptureError`, or the reason of the caller's signal. */
export class CaptureClient {
  readonly admin: AdminApi;
  readonly jobs: JobsApi;
  readonly bulk: BulkApi;
  readonly captures: CapturesApi;
  readonly crawls: CrawlsApi;
  readonly links: LinksApi;
  readonly monitors: MonitorsApi;
  readonly sessions: SessionsApi;
  readonly webhooks: WebhooksApi;
  private readonly transport: Transport;

  /** @throws TypeError if the settings cannot be used */
  constructor({ signing, ...options }: CaptureClientOptions) {
    this.transport = new Transport(options);
    checkText('signing.keyId', signing?.keyId);
    checkText('signing.secret', signing?.secret);
    this.admin = new AdminApi(this.transport);
    this.jobs = new JobsApi(this.transport);
    this.bulk = new BulkApi(this.transport);
    this.captures = new CapturesApi(this.transport);
    this.crawls = new CrawlsApi(this.transport);
    this.links = new LinksApi(this.transport, signing);
    this.monitors = new MonitorsApi(this.transport);
    this.sessions = new SessionsApi(this.transport);
    this.webhooks = new WebhooksApi(this.transport);
  }

  /**
   * Captures a page and returns its file; with `response: 'json'`, `outputs` or `slice_height` its record, and with
   * `response: 'zip'` an archive of all files. An abort cancels the capture, which is then not charged.
   */
  async capture(options: RecordCaptureOptions, call?: CallOptions): Promise<CaptureRecord>;
  async capture(options: FileCaptureOptions, call?: CallOptions): Promise<CaptureFile>;
  async capture(options: CaptureOptions, call?: CallOptions): Promise<CaptureFile | CaptureRecord>;
  async capture(options: CaptureOptions, call: CallOptions = {}): Promise<CaptureFile | CaptureRecord> {
    if (!isRecordAnswer(options)) return download(this.transport, captureOf(options), call);
    const { data } = await capturePage({
      ...this.json(call, timeoutOf(options)),
      body: options,
      headers: { Accept: 'application/json' },
    });
    return data as CaptureRecord;
  }

  /** Captures a page and saves the file; nothing incomplete ever has that name. */
  async captureToFile(options: FileCaptureOptions, path: string, call?: CallOptions): Promise<SavedFile> {
    if (isRecordAnswer(options)) {
      const detail =
        "captureToFile saves one file. Use response: 'zip' for all files of several outputs or slices, or capture() and captures.fileToPath().";
      throw new CaptureError({ code: 'invalid_options', detail });
    }
    return downloadTo(this.transport, captureOf(options), { path, call });
  }

  /** What the account has used of its allowance, and its captures in progress. */
  async usage(call?: CallOptions): Promise<Usage> {
    const { data } = await getUsage(this.json(call));
    return data;
  }

  /** What was charged on each day, by source, and what was not; by default the last 30 days. */
  async usageByDay(range: DayRange = {}, call?: CallOptions): Promise<UsageDays> {
    const { data } = await getUsageByDay({ ...this.json(call), query: range });
    return data;
  }

  /** The values of the option `device`. */
  async devices(call?: CallOptions): Promise<Device[]> {
    const { data } = await listDevices(this.json(call));
    return data.items;
  }

  async version(call?: CallOptions): Promise<ServiceVersion> {
    const { data } = await getVersion(this.json(call));
    return data;
  }

  /** The health, the versions, the workers and the queue of the service. */
  async status(call?: CallOptions): Promise<ServiceStatus> {
    const { data } = await getStatus(this.json(call));
    return data;
  }

  /** The state of the service and its dependencies, also when it is down. */
  async health(call: CallOptions = {}): Promise<Health> {
    const { data } = await getHealth(
      this.transport.wire({ call, consume: healthConsumer, accepts: isHealthOfOutage }),
    );
    return data;
  }

  private json(call: CallOptions = {}, defaultTimeoutMs?: number): Wire {
    return this.transport.wire({ call, consume: jsonConsumer, defaultTimeoutMs });
  }
}

function isRecordAnswer({ response, outputs, slice_height: sliceHeight }: CaptureOptions): boolean {
  const hasSeveral = outputs !== undefined || sliceHeight !== undefined;
  return response === 'json' || (hasSeveral && response !== 'zip');
}

function captureOf(options: CaptureOptions): Download<CaptureFile> {
  return {
    kind: CAPTURE_FILE,
    defaultTimeoutMs: timeoutOf(options),
    run: (wire) => capturePage({ ...wire, body: options }),
  };
}

/** The service answers within the limit of the capture, and the client must not give up before. */
function timeoutOf({ timeout_ms: timeoutMs = CAPTURE_TIMEOUT_MS }: CaptureOptions): number {
  return timeoutMs + SLACK_MS;
}
