import type { DeliveryAttempt } from '@capture-service/client';
import { duration } from '../../ui/format.js';

/** `204 after 41 ms`, `no response after 15 s: the connection was refused`. */
export function attemptText({ status, error, duration_ms: ms }: DeliveryAttempt): string {
  const outcome = `${status ?? 'no response'} after ${duration(ms)}`;
  return error === null ? outcome : `${outcome}: ${error}`;
}

/** The JSON of a body on several lines; a body that is no JSON as it is. */
export function prettyBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** The value of the header `webhook-timestamp` of an attempt: seconds since 1970. */
export function timestampOf({ at }: Pick<DeliveryAttempt, 'at'>): string {
  return String(Math.floor(Date.parse(at) / 1_000));
}
