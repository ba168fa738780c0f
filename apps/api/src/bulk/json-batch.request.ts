import type { RawOptions } from '@app/bulk';
import { compose, faultsOf, instantiate, invalidRequest, isPlainObject, type Fault } from '@app/kernel';
import type { JsonWithList } from '../http/body/json-body.js';
import { WebhookField } from '../webhooks/webhook-target.service.js';
import { BatchFields, ItemsFields } from './submission.fields.js';

export const JsonBatchRequest = compose('JsonBatchRequest', [BatchFields, ItemsFields, WebhookField]);
export type JsonBatchRequest = Omit<InstanceType<typeof JsonBatchRequest>, 'items'> & {
  readonly items?: Iterable<unknown>;
  readonly defaults: RawOptions;
};

/** More than there are fields: each unknown name is compared with every known one. */
const MAX_FIELDS = 50;

/**
 * Reads the body of `POST /v1/bulk/json`. Its items are read later, one by one.
 *
 * @param defaultFaults returns the faults of default options
 * @throws AppError `invalid_request` with every fault
 */
export function readJsonBatch(
  { outline: raw, items: rows }: JsonWithList,
  defaultFaults: (defaults: unknown, pointer: string) => Fault[],
): JsonBatchRequest {
  const body = fieldsIn(raw);
  const { defaults } = body;
  const outline = {
    ...body,
    ...(isPlainObject(defaults) && { defaults: {} }),
  };
  const faults = [
    ...faultsOf(JsonBatchRequest, outline),
    ...(isPlainObject(defaults) ? defaultFaults(defaults, '/defaults') : []),
    ...targetFaults(body),
  ];
  if (faults.length > 0) throw invalidRequest(faults);
  const request = instantiate(JsonBatchRequest, outline);
  return Object.assign(request, {
    ...(rows && { items: rows }),
    defaults: (defaults ?? {}) as RawOptions,
  });
}

function fieldsIn(raw: unknown): RawOptions {
  if (!isPlainObject(raw)) {
    throw invalidRequest([{ pointer: '', code: 'wrong_type', detail: 'must be a JSON object' }]);
  }
  if (Object.keys(raw).length <= MAX_FIELDS) return raw;
  throw invalidRequest([{ pointer: '', code: 'too_many', detail: `must have at most ${MAX_FIELDS} fields` }]);
}

function targetFaults({ items, retry_failed_of: retried }: RawOptions): Fault[] {
  if (items !== undefined && retried !== undefined) {
    return [{ pointer: '/retry_failed_of', code: 'conflict', detail: 'must not be combined with items' }];
  }
  if (items !== undefined || retried !== undefined) return [];
  return [{ pointer: '/items', code: 'required', detail: 'is missing: send items, or retry_failed_of' }];
}
