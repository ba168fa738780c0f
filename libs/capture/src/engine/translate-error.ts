import { AppError, type ErrorCode, type Phase } from '@app/kernel';
import { PageScriptError } from '../pipeline/in-page.js';

/** Where a capture was when it failed. */
export interface FailureContext {
  readonly phase: Phase;
  readonly elapsedMs: number;
  readonly target: URL | null;
  /** Status of the main document, if one came. */
  readonly status: number | undefined;
  /** Address of the latest document that the page was navigated to, after the redirects so far. */
  readonly requested: string | undefined;
  /** What the egress proxy says of that address. */
  readonly refusal: string | undefined;
  /** The options give a header or footer to print. */
  readonly hasTemplates?: boolean;
}

/**
 * What Chromium says when its proxy refuses, a tunnel and a plain request; and what is to be read where the proxy does not
 * say why. A target that answers with two lengths over TLS is the one case of the second that is not ours.
 */
const REFUSED_BY_PROXY: ReadonlyMap<string, string> = new Map([
  ['ERR_TUNNEL_CONNECTION_FAILED', 'ERR_CONNECTION_FAILED'],
  ['ERR_RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH', 'ERR_INVALID_HTTP_RESPONSE'],
]);

/** Chromium's own names, most telling first; a net error of no row is a connection that failed. */
const NET_ERRORS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/^ERR_(NAME_|DNS_|ICANN_NAME_COLLISION)/, 'target_dns_error'],
  [/^ERR_(CERT_|SSL_|BAD_SSL|ECH_)/, 'target_tls_error'],
  [/^ERR_TOO_MANY_REDIRECTS$/, 'target_redirect_loop'],
  [/^ERR_EMPTY_RESPONSE$/, 'target_empty_response'],
  [/^ERR_(BLOCKED_|UNSAFE_|DISALLOWED_|ACCESS_DENIED|NETWORK_ACCESS_DENIED)/, 'target_forbidden'],
  // A download is refused, and refused it is a navigation that was aborted.
  [/^ERR_(ABORTED|UNKNOWN_URL_SCHEME|INVALID_RESPONSE|FILE_)/, 'target_not_a_page'],
  [/^ERR_(INSUFFICIENT_RESOURCES|OUT_OF_MEMORY)$/, 'resource_limit'],
  // The proxy is ours, and on this machine.
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

/** Chromium prints no page whose header or footer waits for something that it does not load. */
const TEMPLATE_LOADS =
  'pdf_header_html or pdf_footer_html refers to something outside it, which is not loaded; put it in as a data: URL.';

/** What there is to say beyond the title; of a forbidden target no more may be said. */
const DETAILS: Partial<Record<ErrorCode, (host: string) => string>> = {
  target_dns_error: (host) => `Could not resolve ${host}`,
  target_connection_failed: (host) => `Could not connect to ${host}, or the connection broke`,
  target_tls_error: (host) => `Could not trust the certificate or TLS handshake of ${host}`,
  resource_limit: () => 'The page asked the network for more than a capture may',
};

/** Chromium has a list of ports that it opens for no page. */
const UNSAFE_PORT = 'Browsers refuse the port of the address. Serve the page on another port.';

/** Responses without content: Chromium stays where it is. */
const NO_CONTENT = [204, 205];

/**
 * What went wrong in a capture, as an error of ours. The only place that reads Chromium's and Puppeteer's texts: after
 * an update of either, this is what to look at.
 */
export function translateError(error: unknown, where: FailureContext): AppError {
  if (error instanceof AppError) return placed(error, where);
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const said = /net::(ERR_[A-Z0-9_]+)/.exec(message)?.[1];
  if (said !== undefined) {
    const unexplained = REFUSED_BY_PROXY.get(said);
    const netError = unexplained === undefined ? said : (where.refusal ?? unexplained);
    return fromNetError(netError, where, error);
  }
  if (name === 'TimeoutError') return timeout(where, error);
  if (where.hasTemplates === true && message.includes('Printing failed')) {
    return new AppError('print_failed', { detail: TEMPLATE_LOADS, phase: where.phase, cause: error });
  }
  if (error instanceof PageScriptError) return brokenByPage(error, where);
  const [, code, detail] =
    BROWSER_FAULTS.find(([text]) => text.test(message)) ??
    (name === 'TargetCloseError' ? (BROWSER_FAULTS.at(-1) ?? []) : []);
  return code
    ? new AppError(code, { detail, phase: where.phase, cause: error })
    : placed(AppError.from(error), where);
}

/** A script of an option failed, as none does on a page that leaves it alone: it would fail again. */
function brokenByPage(error: PageScriptError, { phase }: FailureContext): AppError {
  const detail = `The page does not let an option do its work: ${error.message}`;
  return new AppError('script_failed', { detail, phase, cause: error });
}

/** Chromium stayed where it was: it met a download, or a response without content. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && error.message.includes('net::ERR_ABORTED');
}

/** Our own deadline, or a wait of Puppeteer's, passed. */
export function timeout({ phase, elapsedMs }: FailureContext, cause?: unknown): AppError {
  return new AppError('capture_timeout', {
    detail: `The capture was not done after ${elapsedMs} ms (timeout_ms); it was in the phase ${phase}.`,
    phase,
    elapsedMs,
    cause,
  });
}

function placed(error: AppError, { phase, elapsedMs }: FailureContext): AppError {
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
  // Of a forbidden target no more may be said than that it is.
  const netError = code === 'target_forbidden' ? undefined : `net::${name}`;
  const detail = name === 'ERR_UNSAFE_PORT' ? UNSAFE_PORT : DETAILS[code]?.(host);
  return new AppError(code, { detail, netError, phase, cause });
}
