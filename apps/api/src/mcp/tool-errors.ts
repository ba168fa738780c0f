import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CaptureError, CaptureRecord } from '@capture-service/client';
import { ERRORS, type ErrorCode } from '@app/kernel';

/** An error that a tool explains itself: what is the case, and what the model can do. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** The part of an error of the API that says what to do; `CaptureError` and the `error` of a record have it. */
type Failure = Pick<CaptureError, 'code' | 'detail' | 'retryable'> &
  Partial<Pick<CaptureError, 'errors' | 'requestId' | 'captureId' | 'retryAfterMs'>>;

const WAIT_AND_REPEAT = 'The same call may succeed later.';
const CHANGE =
  'The same call fails again: change the arguments as the error says, or tell the user why it is not possible.';

/** What a model can do about an error, where more can be said than whether to repeat the call. */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_request: 'Correct the arguments as listed, and call the tool again.',
  unauthorized: 'Do not repeat the call. Ask the user for a valid API key of the service.',
  allowance_exhausted:
    'Do not repeat the call. The tool `usage` shows the allowance; tell the user that the operator can raise it.',
  target_forbidden:
    'Do not repeat the call, and do not look for another way to this address. Only public web addresses can be captured; tell the user that the operator can allow others.',
  not_found: 'Check the id. The tool `list_captures` lists the captures of the account.',
  result_expired: 'The file is gone: capture the page again.',
  target_dns_error: 'Check the spelling of the host name. The same URL fails again.',
  target_connection_failed: 'The site does not respond. Try once more later, or use another page.',
  target_not_a_page: 'The URL is a download and not a page. Use the URL of a page.',
  selector_not_found:
    'Capture the page without the selector to see what is on it, then correct the selector, or wait for the element with `wait_for_selector`.',
  clip_out_of_bounds: 'Capture with `full_page` to see how large the page is, then correct the clip.',
  resource_limit:
    'Ask for less: a `selector` or a lower `max_height` instead of `full_page`, or a smaller window.',
  capture_timeout:
    'Call the tool once more with {"options":{"on_timeout":"capture"}}, which captures what has loaded, or with a higher `timeout_ms`.',
  connection_failed: 'The service is restarting. Repeat the call in 10 seconds.',
};

/** An error for a model: what failed, why, and what to do next. */
export function failureText(failure: Failure, url?: string | null): string {
  const { code, detail, retryable, errors = [], retryAfterMs, requestId, captureId } = failure;
  const title = ERRORS[code as ErrorCode]?.title ?? 'The call failed';
  const wait = retryAfterMs === undefined ? '' : ` Wait ${Math.ceil(retryAfterMs / 1_000)} seconds first.`;
  const ids = [captureId && `capture ${captureId}`, requestId && `request ${requestId}`].filter(Boolean);
  return [
    `${title} (${code}).${url ? ` URL: ${url}.` : ''}`,
    detail,
    // The detail of a single fault is that of the error.
    ...errors
      .filter((fault) => !detail.includes(fault.detail))
      .map(({ pointer, detail: fault }) => `- ${pointer ?? ''}: ${fault}`),
    `What to do: ${ADVICE[code] ?? (retryable ? WAIT_AND_REPEAT : CHANGE)}${retryable ? wait : ''}`,
    ...(ids.length > 0 ? [`For a report: ${ids.join(', ')}.`] : []),
  ].join('\n');
}

export function failureResult(failure: Failure, url?: string | null): CallToolResult {
  return errorResult(failureText(failure, url));
}

/** The result for a capture that failed or was canceled. */
export function failedCaptureResult({ id, url, status, error }: CaptureRecord): CallToolResult {
  if (error) return failureResult({ ...error, errors: error.errors ?? [], captureId: id }, url);
  return errorResult(`The capture ${id} was ${status}. Capture the page again if it is still needed.`);
}

export function errorResult(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}
