import { AppError, type ErrorCode, type Phase } from '@app/kernel';
import { PageScriptError } from '../pipeline/in-page.js';

/** The state of a capture when it failed. */
export interface FailureContext {
  readonly phase: Phase;
  readonly elapsedMs: number;
  readonly target: URL | null;
  /** Status of the main document, if it responded. */
  readonly status: number | undefined;
  /** URL of the latest document that the page was navigated to, after the redirects so far. */
  readonly requested: string | undefined;
  /** Why the egress proxy did not reach that URL. */
  readonly refusal: string | undefined;
  /** The host to which the page was led although `allowed_hosts` does not name it. */
  readonly refusedHost?: string | undefined;
  /** The name of the output that was being made, where the caller has named them. */
  readonly output?: string | undefined;
  /** The caller has named the outputs. */
  readonly namesOutputs?: boolean;
  /** The options give a header or footer to print. */
  readonly hasTemplates?: boolean;
}

/**
 * The errors that Chromium reports when its proxy refuses a tunnel or a plain request, and the error to assume when the proxy
 * gives no reason. Only a target that sends two lengths over TLS causes the second one without the proxy.
 */
const REFUSED_BY_PROXY: ReadonlyMap<string, string> = new Map([
  ['ERR_TUNNEL_CONNECTION_FAILED', 'ERR_CONNECTION_FAILED'],
  ['ERR_RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH', 'ERR_INVALID_HTTP_RESPONSE'],
]);

/** Chromium's net errors, the most specific first. All others are `target_connection_failed`. */
const NET_ERRORS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^ERR_(NAME_RESOLUTION_FAILED|DNS_TIMED_OUT|DNS_SERVER_FAILED)$/, 'dns_unavailable'],
  [/^ERR_(NAME_|DNS_|ICANN_NAME_COLLISION)/, 'target_dns_error'],
  [/^ERR_(CERT_|SSL_|BAD_SSL|ECH_)/, 'target_tls_error'],
  [/^ERR_TOO_MANY_REDIRECTS$/, 'target_redirect_loop'],
  [/^ERR_EMPTY_RESPONSE$/, 'target_empty_response'],
  [/^ERR_(BLOCKED_|UNSAFE_|DISALLOWED_|ACCESS_DENIED|NETWORK_ACCESS_DENIED)/, 'target_forbidden'],
  // Downloads are denied, which aborts the navigation.
  [/^ERR_(ABORTED|UNKNOWN_URL_SCHEME|INVALID_RESPONSE|FILE_)/, 'target_not_a_page'],
  [/^ERR_(INSUFFICIENT_RESOURCES|OUT_OF_MEMORY)$/, 'resource_limit'],
  // The egress proxy runs in this worker.
  [/^ERR_PROXY_/, 'internal'],
];

const BROWSER_FAULTS: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [
    /Page range exceeds page count/,
    'page_range',
    'pdf_page_ranges asks for pages that the document does not have.',
  ],
  [
    /Page is too large|Unable to capture screenshot|image is too large/i,
    'resource_limit',
    'The browser could not draw an image of this size.',
  ],
  [
    /Target closed|Session closed|Connection closed|Page crashed|[Ff]rame (was|got|has been) detached|detached [Ff]rame/,
    'browser_crashed',
    'The browser, or the page in it, ended during the capture.',
  ],
];

/** Chromium fails to print a page whose header or footer waits for a resource, because it does not load any. */
const TEMPLATE_LOADS =
  'pdf_header_html or pdf_footer_html refers to something outside it, which is not loaded; put it in as a data: URL.';

/** Details beyond the title. Nothing more may be revealed about a forbidden target. */
const DETAILS: Partial<Record<ErrorCode, (host: string) => string>> = {
  target_dns_error: (host) => `Could not resolve ${host}`,
  dns_unavailable: (host) => `No name server answered for ${host}`,
  target_connection_failed: (host) => `Could not connect to ${host}, or the connection broke`,
  target_tls_error: (host) => `Could not trust the certificate or TLS handshake of ${host}`,
  resource_limit: () => 'The page asked the network for more than a capture may',
};

/** Chromium blocks a list of ports. */
const UNSAFE_PORT = 'Browsers refuse the port of the address. Serve the page on another port.';

/** Statuses without content: Chromium does not navigate. */
const NO_CONTENT = [204, 205];

/**
 * The AppError for an error in a capture. The only place that reads messages of Chromium and Puppeteer: after an update of
 * either, check this file.
 */
export function translateError(error: unknown, where: FailureContext): AppError {
  if (where.refusedHost !== undefined) return hostRefused(where.refusedHost, where, error);
  if (error instanceof OutputError) {
    const failure = translateError(error.cause, where);
    return where.namesOutputs === true ? named(failure, error.output) : failure;
  }
  if (error instanceof AppError) return withPlace(error, where);
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const reported = /net::(ERR_[A-Z0-9_]+)/.exec(message)?.[1];
  if (reported !== undefined) {
    const assumed = REFUSED_BY_PROXY.get(reported);
    const netError = assumed === undefined ? reported : (where.refusal ?? assumed);
    return fromNetError(netError, where, error);
  }
  if (name === 'TimeoutError') return timeout(where, error);
  if (where.hasTemplates === true && message.includes('Printing failed')) {
    return new AppError('print_failed', { detail: TEMPLATE_LOADS, phase: where.phase, cause: error });
  }
  if (error instanceof PageScriptError) return scriptFailure(error, where);
  const [, code, detail] =
    BROWSER_FAULTS.find(([text]) => text.test(message)) ??
    (name === 'TargetCloseError' ? (BROWSER_FAULTS.at(-1) ?? []) : []);
  return code
    ? new AppError(code, { detail, phase: where.phase, cause: error })
    : withPlace(AppError.from(error), where);
}

/** Whatever failed after the page was led to a host that `allowed_hosts` does not name, or nothing did. */
export function hostRefused(
  host: string,
  { phase }: Pick<FailureContext, 'phase'>,
  cause?: unknown,
): AppError {
  const detail = `The page led to ${host}, a host that allowed_hosts does not name.`;
  return new AppError('target_forbidden', { detail, phase, cause });
}

/** An error that happened while an output was made. */
export class OutputError extends Error {
  override readonly name = 'OutputError';

  constructor(
    readonly output: string,
    override readonly cause: unknown,
  ) {
    super(`The output ${output} failed`);
  }
}

/** The errors that are about one output, which the caller must be able to correct. */
const ABOUT_OUTPUTS: ReadonlySet<ErrorCode> = new Set([
  'selector_not_found',
  'clip_out_of_bounds',
  'resource_limit',
  'page_range',
  'print_failed',
]);

function named(error: AppError, output: string): AppError {
  if (!ABOUT_OUTPUTS.has(error.code)) return error;
  return new AppError(error.code, { ...error.facts, detail: `Output ${output}: ${error.message}` });
}

/** A script of an option failed because the page interferes with it. A retry would fail again. */
function scriptFailure(error: PageScriptError, { phase }: FailureContext): AppError {
  const detail = `The page does not let an option do its work: ${error.message}`;
  return new AppError('script_failed', { detail, phase, cause: error });
}

/** Chromium did not navigate: the response was a download or had no content. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && error.message.includes('net::ERR_ABORTED');
}

/** The error for our own deadline, or for a timeout of Puppeteer's. */
export function timeout({ phase, elapsedMs, output }: FailureContext, cause?: unknown): AppError {
  return new AppError('capture_timeout', {
    detail: `The capture was not done after ${elapsedMs} ms (timeout_ms); it was in the phase ${phase}${output === undefined ? '' : `, at the output ${output}`}.`,
    phase,
    elapsedMs,
    cause,
  });
}

function withPlace(error: AppError, { phase, elapsedMs }: FailureContext): AppError {
  return new AppError(error.code, {
    ...error.facts,
    phase: error.facts.phase ?? phase,
    ...(error.code === 'capture_timeout' && { elapsedMs: error.facts.elapsedMs ?? elapsedMs }),
  });
}

function fromNetError(name: string, where: FailureContext, cause: unknown): AppError {
  const { phase, target, status, requested } = where;
  const isEmpty = name === 'ERR_ABORTED' && status !== undefined && NO_CONTENT.includes(status);
  const code = isEmpty
    ? 'target_empty_response'
    : (NET_ERRORS.find(([pattern]) => pattern.test(name))?.[1] ?? 'target_connection_failed');
  const host = URL.parse(requested ?? '')?.host ?? target?.host ?? 'the target';
  // Nothing more may be revealed about a forbidden target.
  const netError = code === 'target_forbidden' ? undefined : `net::${name}`;
  const detail = name === 'ERR_UNSAFE_PORT' ? UNSAFE_PORT : DETAILS[code]?.(host);
  return new AppError(code, { detail, netError, phase, cause });
}
