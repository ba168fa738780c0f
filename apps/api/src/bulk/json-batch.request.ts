import type { RawOptions } from '@app/bulk';
import { compose, faultsOf, instantiate, invalidRequest, isPlainObject, type Fault } from '@app/kernel';
import { WebhookField } from '../webhooks/webhook-target.service.js';
import { BatchFields, ItemsFields } from './submission.fields.js';

export const JsonBatchRequest = compose('JsonBatchRequest', [BatchFields, ItemsFields, WebhookField]);
export type JsonBatchRequest = InstanceType<typeof JsonBatchRequest> & { readonly defaults: RawOptions };

/** More than there are fields: each unknown name is compared with every known one. */
const MAX_FIELDS = 50;

/**
 * Reads the body of `POST /v1/bulk/json`. Its items are only checked to be a list.
 *
 * @param defaultFaults returns the faults of default options
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
  return [{ pointer: '/items', code: 'required', detail: 'is missing: send items, or retry_failed_of' }];
}
