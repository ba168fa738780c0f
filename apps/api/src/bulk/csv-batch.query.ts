import type { RawOptions } from '@app/bulk';
import { CaptureOptions } from '@app/capture';
import {
  compose,
  faultsOf,
  fieldsOf,
  instantiate,
  invalidRequest,
  isPlainObject,
  readTexts,
  type AnyClass,
  type Fault,
} from '@app/kernel';
import { WebhookField } from '../webhooks/webhook-target.service.js';
import { BatchFields, DryRunQuery } from './submission.fields.js';

/** Query of `POST /v1/bulk/csv`, without the default options of its rows, which are parameters, too. */
export const CsvBatchQuery = compose('CsvBatchQuery', [DryRunQuery, BatchFields, WebhookField]);
export type CsvBatchQuery = InstanceType<typeof CsvBatchQuery> & { readonly defaults: RawOptions };

const WITH_OPTIONS = compose('CsvBatchQueryWithOptions', [CsvBatchQuery, CaptureOptions as AnyClass]);
const OPTIONS: ReadonlySet<string> = new Set(fieldsOf(CaptureOptions).map(({ name }) => name));

/**
 * Reads a query, in which a default is either a parameter of its own or a field of `defaults`.
 *
 * @param defaultFaults returns the faults of default options
 * @throws AppError `invalid_request` with every fault
 */
export function readCsvQuery(
  raw: RawOptions,
  defaultFaults: (defaults: unknown, pointer: string) => Fault[],
): CsvBatchQuery {
  const entries = Object.entries(readTexts(WITH_OPTIONS, raw));
  const byName = Object.fromEntries(entries.filter(([name]) => OPTIONS.has(name)));
  const own = Object.fromEntries(entries.filter(([name]) => !OPTIONS.has(name)));
  const defaults = isPlainObject(own.defaults) ? own.defaults : {};
  const outline = isPlainObject(own.defaults) ? { ...own, defaults: {} } : own;
  const faults = [
    ...faultsOf(WITH_OPTIONS, outline),
    ...defaultFaults(byName, ''),
    ...defaultFaults(defaults, '/defaults'),
    ...repeated(byName, defaults),
  ];
  if (faults.length > 0) throw invalidRequest(faults);
  return Object.assign(instantiate(CsvBatchQuery, outline), { defaults: { ...byName, ...defaults } });
}

function repeated(byName: RawOptions, defaults: RawOptions): Fault[] {
  return Object.keys(byName)
    .filter((name) => Object.hasOwn(defaults, name))
    .map((name) => ({
      pointer: `/${name}`,
      code: 'repeated',
      detail: 'must be set once: by its name, or in defaults',
    }));
}
