import type { Env } from '@app/config';
import { AppError } from '@app/kernel';
import type { Request } from 'express';

/**
 * The URL at which the client reaches the API, without a slash at its end. Express reads the scheme and the host that a
 * proxy reports, as far as TRUSTED_PROXIES says.
 */
export function baseUrlOf(
  { protocol, host }: Pick<Request, 'protocol' | 'host'>,
  { PUBLIC_URL }: Env,
): string {
  const url = PUBLIC_URL ?? `${protocol}://${host}`;
  if (!URL.canParse(url)) {
    throw new AppError('invalid_request', { detail: 'The Host header is not the name of a host.' });
  }
  return url.replace(/\/+$/, '');
}
