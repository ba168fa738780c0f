import { CaptureOptions } from '@app/capture';
import {
  ALERTS,
  MAX_CRON_LENGTH,
  MAX_EVERY_S,
  MAX_PAGES,
  MIN_EVERY_S,
  timezoneFault,
  type AlertKind,
} from '@app/monitors';
import { compose, Decimal, Items, Part, Text, TextList, VariantItems, Whole } from '@app/kernel';
import { WebhookField } from '../webhooks/webhook-target.service.js';
import { MAX_RECEIVERS, RECEIVER_VARIANTS, type ReceiverBody } from './receiver.fields.js';

/** `schedule`: `cron`, or `every_s`. */
export class ScheduleFields {
  @Text('A cron expression of five fields: minute, hour, day of month, month, day of week.', {
    max: MAX_CRON_LENGTH,
    example: '*/30 8-18 * * 1-5',
  })
  cron?: string;

  @Text('The IANA time zone in which `cron` is read; `UTC` without it.', {
    max: 100,
    check: (name: string) => timezoneFault(name),
    example: 'Europe/Berlin',
  })
  timezone?: string;

  @Whole('Instead of `cron`: seconds from one check to the next. The first one is at once.', {
    min: MIN_EVERY_S,
    max: MAX_EVERY_S,
  })
  every_s?: number;
}

/** `alert`: what counts as a change, and which events are sent. */
export class AlertFields {
  @TextList('The events that are sent to `webhook_url` and `notify`. `monitor.paused` is always sent.', {
    maxItems: ALERTS.length,
    maxLength: 20,
    choices: ALERTS,
  })
  on: AlertKind[] = [...ALERTS];

  @Decimal('The part of the picture or of the words that must change at least.', { min: 0, max: 1 })
  min_ratio = 0;

  @Whole('Captures that must show a change before it is reported; 1 reports it at once.', { min: 1, max: 3 })
  confirm = 2;

  @TextList('CSS selectors of elements that do not count.', {
    maxItems: 50,
    maxLength: 1_000,
    example: ['.clock'],
  })
  ignore_selectors: string[] = [];
}

/** `keep`: how many captures of a page keep their files. */
export class KeepFields {
  @Whole('Captures that showed no change.', { min: 0, max: 1_000 })
  unchanged = 1;

  @Whole('Captures that showed a change.', { min: 1, max: 1_000 })
  changed = 100;
}

/** `batch`: the pages of a monitor that has several. */
export class PagesFields {
  @Items(CaptureOptions, 'The pages: the options of each capture.', { maxItems: MAX_PAGES })
  items?: readonly unknown[];

  @Part(CaptureOptions, 'Options of every page that does not set them itself.')
  defaults?: Readonly<Record<string, unknown>>;
}

/** Body of `POST /v1/monitors/preview`. */
export class PreviewBody {
  @Part(ScheduleFields, 'The schedule of a monitor that is not made yet: `cron`, or `every_s`.')
  schedule?: Readonly<Record<string, unknown>>;
}

class MonitorFields {
  @Text('Your name for the monitor; the host of its page without it.', { max: 200, example: 'pricing' })
  name?: string;

  @Part(ScheduleFields, 'When the pages are checked: `cron`, or `every_s`.')
  schedule?: Readonly<Record<string, unknown>>;

  @Part(CaptureOptions, 'The options of the capture of the page that is watched.')
  capture?: Readonly<Record<string, unknown>>;

  @Part(PagesFields, 'Instead of `capture`: several pages under one schedule.')
  batch?: Readonly<Record<string, unknown>>;

  @Part(AlertFields, 'What counts as a change, and which events are sent.')
  alert?: Readonly<Record<string, unknown>>;

  @Part(KeepFields, 'How many captures of each page keep their files.')
  keep?: Readonly<Record<string, unknown>>;

  @VariantItems(RECEIVER_VARIANTS, 'Chats and mail addresses that receive the events in words.', {
    maxItems: MAX_RECEIVERS,
    example: [{ type: 'email', to: 'ada@example.com' }],
  })
  notify: readonly ReceiverBody[] = [];

  @Whole('Failed checks of every page in a row after which the monitor pauses; 0 for never.', {
    min: 0,
    max: 10_000,
  })
  pause_after_failures = 10;
}

/** Body of `POST` and `PATCH /v1/monitors`. */
export const MonitorBody = compose('MonitorBody', [MonitorFields, WebhookField]);
export type MonitorBody = InstanceType<typeof MonitorBody>;
