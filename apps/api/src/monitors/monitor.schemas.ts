import type { ChangeReport } from '@app/capture';
import { every, integer, list, orNull, ref, refOrNull, string } from '@app/kernel';
import {
  CHECK_OUTCOMES,
  CHECK_REASONS,
  MONITOR_STATES,
  PAUSE_REASONS,
  TRIGGERS,
  type ChangePictures,
  type CheckRecord,
  type MonitorRecord,
  type MonitorSummary,
} from '@app/monitors';
import { requestSchemaOf } from '../openapi/request-schemas.js';
import type { EventKinds } from '../openapi/webhooks.docs.js';
import { AlertFields, KeepFields, MonitorBody, PagesFields, PreviewBody } from './monitor.fields.js';

const oneOf = (...kinds: readonly object[]): object => ({ oneOf: kinds });

const UUID = { ...string, format: 'uuid' };
const TIME = { ...string, format: 'date-time' };
const NULLABLE_TIME = { ...orNull('string'), format: 'date-time' };
const OBJECT = { type: 'object', additionalProperties: true };

const SUMMARY = {
  id: UUID,
  name: string,
  state: { ...string, enum: MONITOR_STATES },
  pause_reason: { ...orNull('string', 'Null while it is active.'), enum: [...PAUSE_REASONS, null] },
  next_run_at: {
    ...NULLABLE_TIME,
    description:
      'When the next check begins; null while it is paused, and when its schedule has no further instant.',
  },
} satisfies Record<keyof MonitorSummary, object>;

const FILES = {
  oneOf: [every({ before: string, after: string, diff: string }), { type: 'null' }],
  description: 'Paths of the files of a change: as the page was, as it is, and what differs.',
};

const PICTURES = {
  oneOf: [
    every({ before: string, after: string, marked: string } satisfies Record<keyof ChangePictures, object>),
    { type: 'null' },
  ],
  description:
    'Signed links to small pictures around what changed, which need no key; null for a text, and when the operator has set no PUBLIC_URL. ' +
    'With it `files` of the check are signed links, too.',
};

const OPTIONS = {
  oneOf: [OBJECT, { type: 'null' }],
  description: 'The options of the capture; values of secret ones are `[redacted]`.',
};

const PAGES = requestSchemaOf(PagesFields) as { readonly properties: { readonly items: object } };
const FIELDS = requestSchemaOf(MonitorBody) as { readonly properties: { readonly batch: object } };

/** With captures by reference: each has a hundred properties. */
const BODY = {
  ...FIELDS,
  properties: {
    ...FIELDS.properties,
    capture: {
      ...ref('CaptureOptions'),
      description: 'The options of the capture of the page that is watched.',
    },
    batch: {
      ...FIELDS.properties.batch,
      properties: {
        items: { ...PAGES.properties.items, items: ref('CaptureOptions') },
        defaults: {
          ...ref('CaptureOptions'),
          description: 'Options of every page that does not set them itself.',
        },
      },
    },
  },
};

/** Schemas by their names. */
export const MONITOR_SCHEMAS = {
  NewMonitor: { ...BODY, required: ['schedule'] },
  MonitorChange: BODY,
  MonitorPreview: { ...requestSchemaOf(PreviewBody), required: ['schedule'] },
  SchedulePreview: every({
    next_runs: { ...list(TIME), description: 'The next five instants; fewer when the schedule has no more.' },
  }),
  MonitorRecord: every({
    ...SUMMARY,
    schedule: {
      oneOf: [every({ cron: string, timezone: string }), every({ every_s: integer })],
      description: 'When the pages are checked.',
    },
    capture: OPTIONS,
    batch: {
      oneOf: [every({ items: list(OBJECT) }), { type: 'null' }],
      description: 'The pages, each with all of its options.',
    },
    alert: { ...requestSchemaOf(AlertFields), required: ['on', 'min_ratio', 'confirm', 'ignore_selectors'] },
    keep: { ...requestSchemaOf(KeepFields), required: ['unchanged', 'changed'] },
    pause_after_failures: { ...integer, description: '0 for never.' },
    webhook_url: orNull('string'),
    notify: {
      ...list(
        oneOf(
          every({ type: { ...string, enum: ['slack', 'discord', 'teams'] }, url: string }),
          every({ type: { ...string, enum: ['email'] }, to: string }),
        ),
      ),
      description: 'Receivers of the events in words. Only what tells their addresses apart is shown.',
    },
    last_check: refOrNull('MonitorCheck'),
    created_at: TIME,
    updated_at: TIME,
  } satisfies Record<keyof MonitorRecord, object>),
  MonitorCheck: every({
    id: UUID,
    monitor_id: UUID,
    page: { ...integer, description: 'The number of the page in the monitor, from 1.' },
    url: orNull('string', 'Null for a page that is given as `html`.'),
    due_at: { ...TIME, description: 'The instant of the schedule, or that of the request.' },
    trigger: { ...string, enum: TRIGGERS },
    missed: { ...integer, description: 'Earlier instants that passed without a check.' },
    outcome: {
      ...orNull('string', 'Null while the check is in progress.'),
      enum: [...CHECK_OUTCOMES, null],
    },
    reason: {
      ...orNull('string', 'Why it has this outcome, where that is not obvious.'),
      enum: [...CHECK_REASONS, null],
    },
    capture_ids: { ...list(UUID), description: 'The captures of the check; the last one decides.' },
    change: refOrNull('ChangeReport'),
    files: FILES,
    files_kept: {
      type: 'boolean',
      description: 'Whether its captures keep their files, until these expire: `keep` of the monitor.',
    },
    error: refOrNull('CaptureFailure'),
    created_at: TIME,
    finished_at: NULLABLE_TIME,
  } satisfies Record<keyof CheckRecord, object>),
  MonitorList: every({ items: list(ref('MonitorRecord')), next_cursor: orNull('string') }),
  MonitorCheckList: every({ items: list(ref('MonitorCheck')), next_cursor: orNull('string') }),
};

const ID = '019ac001-3b5c-7b1e-8f2a-5d6c7e8f9a0b';
const CHECK_ID = '019ac002-1f3b-7c70-9d5e-6a4b1c2d3e4f';
const BEFORE = '019ac000-7d1e-7c3a-9f4b-2f1c8a6e5d40';
const AFTER = '019ac003-7d1e-7c3a-9f4b-2f1c8a6e5d41';

const CHANGE: ChangeReport = {
  compared_with: BEFORE,
  failure: null,
  changed: true,
  ratio: 0.004,
  boxes: [{ x: 40, y: 120, width: 64, height: 24 }],
  size_changed: false,
  text_changed: true,
  noise: [],
  lines: [{ before: 'Price: €149', after: 'Price: €139', removed: '€149', added: '€139' }],
  summary: 'Price: €149 → €139',
};

const CHECK: CheckRecord = {
  id: CHECK_ID,
  monitor_id: ID,
  page: 1,
  url: 'https://example.com/pricing',
  due_at: '2026-11-27T08:30:00.000Z',
  trigger: 'schedule',
  missed: 0,
  outcome: 'changed',
  reason: null,
  capture_ids: ['019ac002-7d1e-7c3a-9f4b-2f1c8a6e5d42', AFTER],
  change: CHANGE,
  files: {
    before: `/v1/captures/${BEFORE}/result`,
    after: `/v1/captures/${AFTER}/result`,
    diff: `/v1/captures/${AFTER}/files/diff`,
  },
  files_kept: true,
  error: null,
  created_at: '2026-11-27T08:30:04.120Z',
  finished_at: '2026-11-27T08:30:11.480Z',
};

const link = (file: string, part = ''): string =>
  `https://capture.example.com/v1/files/${file}?expires=1826186130${part}&signature=v1.9mQ4bXw0aG1yT2lJc3VrZVRlc3RTaWduYXR1cmVfMTIz`;

const LINKED: CheckRecord = {
  ...CHECK,
  files: { before: link(BEFORE), after: link(AFTER), diff: link(`${AFTER}/diff`) },
};

const SMALL: ChangePictures = {
  before: link(BEFORE, '&small=132'),
  after: link(AFTER, '&small=132'),
  marked: link(`${AFTER}/diff`, '&small=132'),
};

const FAILED: CheckRecord = {
  ...CHECK,
  outcome: 'failed',
  change: null,
  files: null,
  capture_ids: [AFTER],
};

const MONITOR: MonitorSummary = {
  id: ID,
  name: 'pricing',
  state: 'active',
  pause_reason: null,
  next_run_at: '2026-11-27T09:00:04.120Z',
};

/** Examples of responses, by the name of their schema. */
export const MONITOR_EXAMPLES = {
  MonitorRecord: {
    ...MONITOR,
    schedule: { cron: '*/30 8-18 * * 1-5', timezone: 'Europe/Berlin' },
    capture: { url: 'https://example.com/pricing', full_page: true, stable: true },
    batch: null,
    alert: { on: ['changed', 'failed', 'recovered'], min_ratio: 0, confirm: 2, ignore_selectors: ['.clock'] },
    keep: { unchanged: 1, changed: 100 },
    pause_after_failures: 10,
    webhook_url: 'https://example.com/webhooks/capture',
    notify: [{ type: 'slack', url: 'https://hooks.slack.com/[redacted]#3f9a1c20b7d4' }],
    last_check: CHECK,
    created_at: '2026-11-26T17:02:11.000Z',
    updated_at: '2026-11-26T17:02:11.000Z',
  } satisfies MonitorRecord,
} as const;

/** The webhooks of monitors. */
export const MONITOR_EVENTS: EventKinds = {
  MonitorEvent: {
    data: every({ monitor: every(SUMMARY), check: refOrNull('MonitorCheck'), pictures: PICTURES }),
    types: {
      'monitor.changed': [
        'A page of a monitor has changed',
        { monitor: MONITOR, check: LINKED, pictures: SMALL },
      ],
      'monitor.failed': [
        'A page of a monitor could not be captured',
        { monitor: MONITOR, check: FAILED, pictures: null },
      ],
      'monitor.recovered': [
        'A page of a monitor could be captured again',
        {
          monitor: MONITOR,
          check: { ...CHECK, outcome: 'same', change: null, files: null },
          pictures: null,
        },
      ],
      'monitor.paused': [
        'A monitor was paused',
        {
          monitor: { ...MONITOR, state: 'paused', pause_reason: 'failures', next_run_at: null },
          check: FAILED,
          pictures: null,
        },
      ],
    },
  },
};
