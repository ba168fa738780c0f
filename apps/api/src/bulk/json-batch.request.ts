import type { RawOptions } from '@app/bulk';
import { compose, faultsOf, instantiate, invalidRequest, isPlainObject, type Fault } from '@app/kernel';
import { WebhookField } from '../jobs/webhook-target.service.js';
import { BatchFields, ItemsFields } from './submission.fields.js';

export const JsonBatchRequest = compose('JsonBatchRequest', [BatchFields, ItemsFields, WebhookField]);
export type JsonBatchRequest = InstanceType<typeof JsonBatchRequest> & { readonly defaults: RawOptions };

/** More than it can have: each costs a look at every known name. */
const MAX_FIELDS = 50;

/**
 * Reads the body of `POST /v1/bulk/json`, but for its items, of which only the list is looked at.
 *
 * @param defaultFaults tells what is wrong with defaults
 * @throws AppError `invalid_request` with every fault
 */
export function readJsonBatch(
  raw: unknown,
  defaultFaults: (defaults: unknown, pointer: string) => Fault[],
): JsonBatchRequest {
  const body = fieldsIn(raw);
  const { items, defaults } = body;
  const outline = {
    ...body,
    ...(Array.isArray(items) && { items: [] }),
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
    items: items as readonly unknown[],
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
  return [{ pointer: '/items', code: 'required', detail: 'is missing: give items, or retry_failed_of' }];
}
