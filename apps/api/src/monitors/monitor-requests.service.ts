import { Injectable } from '@nestjs/common';
import {
  DefaultOptions,
  deferredFaults,
  optionFaults,
  parseOptionsOver,
  type CaptureOptions,
} from '@app/capture';
import {
  cronFault,
  MAX_PAGES,
  type MonitorChangeRequest,
  type MonitorRequest,
  type MonitorTarget,
  type Schedule,
} from '@app/monitors';
import {
  AppError,
  faultsOf,
  instantiate,
  invalidRequest,
  isPlainObject,
  type AnyClass,
  type Fault,
} from '@app/kernel';
import { holdToTargets, refuseTargets, type TargetLimits } from '../http/auth/target-limits.js';
import { WebhookTargetService } from '../webhooks/webhook-target.service.js';
import { ReceiverTargetsService } from './receiver-targets.service.js';
import {
  AlertFields,
  KeepFields,
  MonitorBody,
  PagesFields,
  PreviewBody,
  ScheduleFields,
} from './monitor.fields.js';

type Raw = Readonly<Record<string, unknown>>;
export type ReadMonitor = Omit<MonitorRequest, 'accountId' | 'idempotency'>;

/** Options that the monitor sets itself, or that would show an earlier page. */
const OWN_OPTIONS = [
  'compare_with',
  'compare_threshold',
  'compare_ignore_selectors',
  'compare_confirms',
  'cache_ttl_s',
  'cache_key',
  'stale_ttl_s',
  'force',
  'expires_in_s',
];

/** The parts of the body that are read by themselves, and what `faultsOf` sees instead of them. */
const PARTS = ['schedule', 'capture', 'batch', 'alert', 'keep'] as const;

/** Reads requests for monitors, and finds every fault in them. */
@Injectable()
export class MonitorRequestsService {
  constructor(
    private readonly defaults: DefaultOptions,
    private readonly webhooks: WebhookTargetService,
    private readonly receivers: ReceiverTargetsService,
  ) {}

  /** @throws AppError `invalid_request` with every fault, `target_forbidden` for the address of the webhook */
  readNew(raw: unknown, sender: TargetLimits): ReadMonitor {
    const body = bodyOf(raw);
    const faults = topFaults(body);
    const schedule = readSchedule(body.schedule, faults);
    const target = this.readTarget(body, faults);
    if (body.schedule === undefined) faults.push(missing('/schedule', 'cron or every_s'));
    if (body.capture === undefined && body.batch === undefined) {
      faults.push(missing('/capture', 'the options of the capture, or batch'));
    }
    if (faults.length > 0 || !schedule || !target) throw invalidRequest(faults);
    admitPages(sender, target);
    const fields = instantiate(MonitorBody, topOf(body));
    return {
      name: fields.name,
      schedule,
      target,
      webhookUrl: this.webhooks.accept(fields),
      alert: { ...instantiate(AlertFields, body.alert ?? {}) },
      keep: { ...instantiate(KeepFields, body.keep ?? {}) },
      pauseAfterFailures: fields.pause_after_failures,
      receivers: this.receivers.admit(fields.notify),
    };
  }

  /**
   * What is missing stays as it is; `"webhook_url": null` removes the address.
   *
   * @throws AppError `invalid_request` with every fault, `target_forbidden`
   */
  readChange(raw: unknown, sender: TargetLimits): MonitorChangeRequest {
    const { webhook_url: url, ...rest } = bodyOf(raw);
    const body = url === null || url === undefined ? rest : { ...rest, webhook_url: url };
    const faults = topFaults(body);
    const schedule = readSchedule(body.schedule, faults);
    const target = this.readTarget(body, faults);
    if (faults.length > 0) throw invalidRequest(faults);
    if (target) admitPages(sender, target);
    const { name, notify, pause_after_failures: pauseAfterFailures } = topOf(body) as Partial<MonitorBody>;
    const address = url === null ? null : this.webhooks.accept(topOf(body));
    return {
      ...(name !== undefined && { name }),
      ...(schedule && { schedule }),
      ...(target && { target }),
      ...(body.alert !== undefined && { alert: body.alert as object }),
      ...(body.keep !== undefined && { keep: body.keep as object }),
      ...(pauseAfterFailures !== undefined && { pauseAfterFailures }),
      ...(address !== undefined && { webhookUrl: address }),
      ...(notify !== undefined && { receivers: this.receivers.admit(notify) }),
    };
  }

  /** The schedule of a preview. @throws AppError `invalid_request` with every fault */
  readPreview(raw: unknown): Schedule {
    const body = bodyOf(raw);
    const outline = isPlainObject(body.schedule) ? { ...body, schedule: {} } : body;
    const faults = faultsOf(PreviewBody, outline);
    const schedule = readSchedule(body.schedule, faults);
    if (body.schedule === undefined) faults.push(missing('/schedule', 'cron or every_s'));
    if (faults.length > 0 || !schedule) throw invalidRequest(faults);
    return schedule;
  }

  private readTarget({ capture, batch }: Raw, faults: Fault[]): MonitorTarget | undefined {
    if (capture !== undefined && batch !== undefined) {
      faults.push({ pointer: '/batch', code: 'conflict', detail: 'must not be combined with capture' });
      return undefined;
    }
    if (capture !== undefined) {
      const options = this.readPage(capture, { pointer: '/capture', defaults: {} }, faults);
      return options && { isBatch: false, pages: [options] };
    }
    return batch === undefined ? undefined : this.readBatch(batch, faults);
  }

  private readBatch(batch: unknown, faults: Fault[]): MonitorTarget | undefined {
    if (!isPlainObject(batch)) return wrongType('/batch', faults);
    const { items, defaults = {} } = batch;
    const found = faultsOf(
      PagesFields,
      { ...batch, items: Array.isArray(items) ? [] : items, defaults: {} },
      '/batch',
    );
    found.push(...optionFaults(defaults, '/batch/defaults'), ...ownFaults(defaults, '/batch/defaults'));
    if (!Array.isArray(items) || items.length === 0) found.push(missing('/batch/items', 'the pages'));
    else if (items.length > MAX_PAGES) {
      found.push({
        pointer: '/batch/items',
        code: 'too_many',
        detail: `must have at most ${MAX_PAGES} items`,
      });
    }
    faults.push(...found);
    if (found.length > 0) return undefined;
    const pages = (items as unknown[]).flatMap((item, i) => {
      const place = { pointer: `/batch/items/${i}`, defaults: defaults as Raw };
      return this.readPage(item, place, faults) ?? [];
    });
    return { isBatch: true, pages };
  }

  private readPage(
    raw: unknown,
    { pointer, defaults }: { readonly pointer: string; readonly defaults: Raw },
    faults: Fault[],
  ): CaptureOptions | undefined {
    const own = ownFaults(raw, pointer);
    faults.push(...own);
    try {
      const options = parseOptionsOver(defaults, raw, this.defaults);
      return own.length === 0 ? options : undefined;
    } catch (error) {
      const { code, facts } = AppError.from(error);
      if (code !== 'invalid_request') throw error;
      const named = new Set(own.map((fault) => fault.pointer));
      const found = (facts.errors ?? []).map((fault) => ({
        ...fault,
        pointer: `${pointer}${fault.pointer}`,
      }));
      faults.push(...found.filter((fault) => !named.has(fault.pointer)));
      return undefined;
    }
  }
}

/** @throws AppError `target_forbidden` for pages of hosts that the key of the sender does not allow */
function admitPages(sender: TargetLimits, { isBatch, pages }: MonitorTarget): void {
  const faults = pages.flatMap((options, i) => {
    const place = isBatch ? `/batch/items/${i}` : '/capture';
    return holdToTargets(sender, options).map((fault) => ({ ...fault, pointer: `${place}${fault.pointer}` }));
  });
  refuseTargets(faults);
}

function bodyOf(raw: unknown): Raw {
  if (isPlainObject(raw)) return raw;
  throw invalidRequest([{ pointer: '', code: 'wrong_type', detail: 'must be a JSON object' }]);
}

/** The fields of the body that are values by themselves. */
function topOf(body: Raw): Raw {
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => !(PARTS as readonly string[]).includes(name)),
  );
}

/** The faults of all fields but `capture`, `batch` and the rules of `schedule`. */
function topFaults(body: Raw): Fault[] {
  const outline = Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const isPart = (PARTS as readonly string[]).includes(name) && isPlainObject(value);
      return [name, isPart ? {} : value];
    }),
  );
  return [
    ...faultsOf(MonitorBody, outline),
    ...partFaults(AlertFields, body.alert, '/alert'),
    ...partFaults(KeepFields, body.keep, '/keep'),
  ];
}

/** What is no object is a fault of the body. */
function partFaults(type: AnyClass, value: unknown, pointer: string): Fault[] {
  return isPlainObject(value) ? faultsOf(type, value, pointer) : [];
}

function readSchedule(raw: unknown, faults: Fault[]): Schedule | undefined {
  if (!isPlainObject(raw)) return undefined;
  const found = faultsOf(ScheduleFields, raw, '/schedule');
  if (found.length === 0) found.push(...scheduleFaults(instantiate(ScheduleFields, raw)));
  faults.push(...found);
  if (found.length > 0) return undefined;
  const { cron, timezone = 'UTC', every_s: everyS } = instantiate(ScheduleFields, raw);
  if (cron !== undefined) return { cron, timezone };
  return everyS === undefined ? undefined : { everyS };
}

function scheduleFaults({ cron, timezone, every_s: everyS }: ScheduleFields): Fault[] {
  if (cron !== undefined && everyS !== undefined) {
    return [{ pointer: '/schedule/every_s', code: 'conflict', detail: 'must not be combined with cron' }];
  }
  if (cron === undefined && everyS === undefined) return [missing('/schedule', 'cron or every_s')];
  if (cron === undefined) {
    const detail = 'has a meaning for cron only';
    return timezone === undefined ? [] : [{ pointer: '/schedule/timezone', code: 'conflict', detail }];
  }
  const detail = cronFault(cron, timezone ?? 'UTC');
  return detail === undefined ? [] : [{ pointer: '/schedule/cron', code: 'invalid_value', detail }];
}

function ownFaults(options: unknown, pointer: string): Fault[] {
  if (!isPlainObject(options)) return [];
  const own = OWN_OPTIONS.filter((name) => Object.hasOwn(options, name)).map((name) => {
    const detail = 'is set by the monitor: see alert and keep';
    return { pointer: `${pointer}/${name}`, code: 'not_for_route', detail };
  });
  return [...own, ...sliceFaults(options, pointer), ...deferredFaults(options, pointer)];
}

function sliceFaults(options: Raw, pointer: string): Fault[] {
  if (!Object.hasOwn(options, 'slice_height')) return [];
  const detail = 'has no meaning for monitors: they compare the whole picture';
  return [{ pointer: `${pointer}/slice_height`, code: 'not_for_route', detail }];
}

function missing(pointer: string, what: string): Fault {
  return { pointer, code: 'required', detail: `is missing: send ${what}` };
}

function wrongType(pointer: string, faults: Fault[]): undefined {
  if (!faults.some((fault) => fault.pointer === pointer)) {
    faults.push({ pointer, code: 'wrong_type', detail: 'must be a JSON object' });
  }
  return undefined;
}
