import { AppError } from '@app/kernel';
import type { Request } from 'express';

const MAX_WAIT_S = 120;

/**
 * The seconds of `Prefer: wait=N` (RFC 7240); undefined without that preference. Other preferences are ignored.
 *
 * @throws AppError `invalid_request` for a wait that is not 1 to 120
 */
export function preferredWaitS(request: Request): number | undefined {
  const preferences = (request.get('prefer') ?? '').split(/[,;]/).map((text) => text.trim());
  const wait = preferences.find((preference) => /^wait\s*=/i.test(preference));
  if (wait === undefined) return undefined;
  const [, digits] = /^wait\s*=\s*"?(\d{1,3})"?$/i.exec(wait) ?? [];
  const seconds = Number(digits ?? 0);
  if (seconds >= 1 && seconds <= MAX_WAIT_S) return seconds;
  const detail = `must be between 1 and ${MAX_WAIT_S}`;
  throw new AppError('invalid_request', {
    detail: `The wait of Prefer ${detail}.`,
    errors: [{ pointer: 'Prefer', code: 'out_of_range', detail }],
  });
}
