import type { RateVerdict } from '@app/usage';

/** The one policy there is. */
const POLICY = '"default"';

/**
 * `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11 (May 2026), which are structured
 * fields (RFC 9651). For a token bucket the draft leaves open what the seconds are; here
 *
 *   q, w   the size of the bucket, and the seconds in which it fills up
 *   r, t   the requests that pass now, and the seconds in which as many come back; with none left, until one does
 *
 * so that r/t is never more than the rate (the draft's 8.5), whoever spreads r over t is never refused, and t of a
 * refused request is not past its `Retry-After` (section 6).
 */
export function rateLimitHeaders({ limit, remaining, waitMs }: RateVerdict): Record<string, string> {
  const { rate, burst } = limit;
  const seconds = (requests: number): number => Math.ceil((requests * 60) / rate);
  const returnS = remaining > 0 ? seconds(remaining) : Math.ceil(waitMs / 1_000);
  return {
    'RateLimit-Policy': `${POLICY};q=${burst};w=${seconds(burst)}`,
    RateLimit: `${POLICY};r=${remaining};t=${returnS}`,
  };
}
