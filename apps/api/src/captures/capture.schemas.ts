import {
  CaptureOptions,
  columnsOfFacts,
  erasedFields,
  EXAMPLE_FACTS,
  fileFields,
  fileSchemas,
  FORMAT_NAMES,
  formatCatalogue,
  optionExtensions,
  optionFamilies,
  RECORD_PARTS,
  recordFields,
  RESULT,
} from '@app/capture';
import { CACHE_OUTCOMES, captureFilePath, captureResultPath, type Percentiles } from '@app/jobs';
import { orNull, PHASES, string } from '@app/kernel';
import { requestSchemaOf } from '../openapi/request-schemas.js';
import { every, ID, integer, TIME } from '../openapi/schemas.js';
import type { CaptureList, CaptureRecord } from './capture.response.js';
import type { CaptureStats } from './stats.response.js';

const OPTIONS = requestSchemaOf(CaptureOptions) as {
  readonly properties: Record<string, { type: string; enum?: readonly unknown[] }>;
};

/** The options of a capture; the schema of a batch's row derives from it. */
export const CAPTURE_OPTIONS = {
  ...OPTIONS,
  description: 'Exactly one of `url` and `html` is required.',
};

/** The same with what programs that offer the options to people need: families, defaults and formats, as `x-` extensions. */
export const DESCRIBED_OPTIONS = {
  ...CAPTURE_OPTIONS,
  'x-families': optionFamilies(),
  'x-format-catalogue': formatCatalogue(),
  properties: describedProperties(CAPTURE_OPTIONS.properties),
};

function describedProperties(properties: Readonly<Record<string, object>>): Record<string, object> {
  const extensions = optionExtensions();
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, { ...schema, ...extensions[name] }]),
  );
}

export const TIMINGS = every(
  Object.fromEntries([...PHASES, 'total'].map((phase) => [`${phase}_ms`, { ...integer, example: 12 }])),
);

export const PERCENTILES = every({
  p50: integer,
  p95: integer,
  p99: integer,
} satisfies Record<keyof Percentiles, object>);

const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const FOUND = columnsOfFacts(EXAMPLE_FACTS);

const CAPTURE: CaptureRecord = {
  id: ID.example,
  source: 'sync',
  status: 'succeeded',
  reference: null,
  batch_id: null,
  row: null,
  url: 'https://example.com/',
  ...recordFields(RECORD_PARTS.document, FOUND),
  format: 'png',
  ...recordFields(RECORD_PARTS.file, FOUND),
  bytes: 18_231,
  sha256: SHA256,
  files: [
    {
      name: RESULT,
      format: 'png',
      bytes: 18_231,
      sha256: SHA256,
      ...fileFields(EXAMPLE_FACTS),
      url: captureFilePath(ID.example, RESULT),
    },
  ],
  options: { url: 'https://example.com', format: 'png' },
  attempts: 1,
  billable: true,
  timings: {
    queue_ms: 3,
    prepare_ms: 2,
    navigate_ms: 120,
    settle_ms: 0,
    render_ms: 60,
    store_ms: 2,
    total_ms: 187,
  },
  ...recordFields(RECORD_PARTS.reports, FOUND),
  cache: null,
  error: null,
  cancel_reason: null,
  created_at: TIME.example,
  started_at: '2026-11-21T10:15:30.126Z',
  finished_at: '2026-11-21T10:15:30.310Z',
  expires_at: '2026-11-28T10:15:30.310Z',
  deleted_at: null,
  result_url: captureResultPath(ID.example),
};

const DELETED: CaptureRecord = {
  ...CAPTURE,
  ...erasedFields(),
  url: null,
  sha256: null,
  files: [],
  options: {},
  expires_at: '2026-11-22T08:00:12.450Z',
  deleted_at: '2026-11-22T08:00:12.450Z',
  result_url: null,
};

const COUNTS = {
  total: 130,
  bytes: 2_370_030,
  status: { queued: 0, running: 1, succeeded: 120, failed: 8, canceled: 1 },
  source: { sync: 30, job: 100, batch: 0 },
  format: { png: 110, pdf: 20 },
  error_code: { target_dns_error: 5, capture_timeout: 3 },
  charged: { sync: 25, job: 90, batch: 0 },
};

const STATS: CaptureStats = {
  from: '2026-11-21T00:00:00.000Z',
  to: '2026-11-22T00:00:00.000Z',
  counted_until: '2026-11-22T00:00:00.000Z',
  bucket: 'day',
  ...COUNTS,
  queue_ms: { p50: 4, p95: 31, p99: 220 },
  total_ms: { p50: 240, p95: 1_900, p99: 6_100 },
  series: [{ start: '2026-11-21T00:00:00.000Z', ...COUNTS }],
};

/** Examples of responses, by the name of their schema; `DeletedCapture` is a variant of `CaptureRecord`. */
export const CAPTURE_EXAMPLES = {
  CaptureRecord: CAPTURE,
  DeletedCapture: DELETED,
  CaptureList: { items: [CAPTURE], next_cursor: null } satisfies CaptureList,
  CaptureStats: STATS,
} as const;

export const FILE_RECORD = every({
  name: {
    ...string,
    description: '`result`, or the name of the output; `diff` is the picture of what changed.',
  },
  format: { type: 'string', enum: FORMAT_NAMES },
  bytes: integer,
  sha256: { ...string, description: 'SHA-256 in hex.' },
  ...fileSchemas(),
  url: orNull('string', 'Path of the file; null once it has expired.'),
});

export const CACHE_REPORT = {
  ...every({
    status: {
      ...orNull('string', 'How the cache answered; null while the capture is queued.'),
      enum: [...CACHE_OUTCOMES, null],
    },
    key: { ...string, description: 'Captures with the same key answer for each other.' },
    age_s: orNull(
      'integer',
      'How old the files were when they answered, in seconds; null unless it succeeded.',
    ),
  }),
  description:
    'The part of the cache; null unless the capture asked for it. `miss` and `bypass` made their own visit, the others show the files of another capture.',
};
