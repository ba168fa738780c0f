import { CaptureError } from './capture-error.js';
import type { Problem } from './generated/openapi/index.js';

/** Statuses by which a proxy says that it cannot reach the service. */
const GATEWAY_STATUSES: readonly number[] = [502, 503, 504];
const TOO_MANY_REQUESTS = 429;

/** The error that a response says, whether it is one of the service or of something before it. */
export function responseError(response: Response, bytes: Uint8Array): CaptureError {
  const { status, headers } = response;
  const facts = {
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    captureId: headers.get('x-capture-id') ?? undefined,
    retryAfterMs: retryAfterMs(headers),
  };
  const problem = problemOf(bytes);
  if (!problem) return foreignError(response, facts);
  const { code, detail, retryable } = problem;
  return new CaptureError({ ...facts, code, detail, retryable, problem });
}

/** An answer that says success, and yet is not one of the service. */
export function unexpectedResponse({ url, status, headers }: Response, expected: string): CaptureError {
  const type = headers.get('content-type') ?? 'no content type';
  const detail = `${hostOf(url)} answered ${status} with ${type}, where ${expected} was expected. Check baseUrl: it is not Capture Service, or a proxy answers for it.`;
  return new CaptureError({ code: 'invalid_response', detail, status });
}

/** A redirected POST would become a GET, and the key would be lost, so that redirects are not followed. */
export function redirectError(response: Response, sentTo: string): CaptureError {
  const location = response.headers.get('location');
  const detail = `${hostOf(sentTo)} redirects${location === null ? '' : ` to ${location}`}. Set baseUrl to the final URL of the service.`;
  return new CaptureError({
    code: 'invalid_response',
    detail,
    status: response.status === 0 ? undefined : response.status,
  });
}

function foreignError({ url, status, headers }: Response, facts: object): CaptureError {
  const isAway = GATEWAY_STATUSES.includes(status);
  const type = headers.get('content-type') ?? 'no content type';
  const detail = isAway
    ? `${hostOf(url)} answered ${status}: a proxy cannot reach the service.`
    : `${hostOf(url)} answered ${status} with ${type} instead of a problem document. Check baseUrl: it is not Capture Service, or a proxy answers for it.`;
  return new CaptureError({
    ...facts,
    code: isAway ? 'connection_failed' : 'invalid_response',
    detail,
    retryable: isAway || status === TOO_MANY_REQUESTS,
  });
}

/** Proxies answer with JSON as well. */
function problemOf(bytes: Uint8Array): Problem | undefined {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const { code, detail, retryable, errors = [] } = parsed as Partial<Problem>;
    const isProblem =
      typeof code === 'string' && typeof detail === 'string' && typeof retryable === 'boolean';
    return isProblem && Array.isArray(errors) ? (parsed as Problem) : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds or a date (RFC 9110, 10.2.3), which is one by the clock of the server. */
function retryAfterMs(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  const now = Date.parse(headers.get('date') ?? '') || Date.now();
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'The server';
}
