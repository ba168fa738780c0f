/** What the catalogue says of each code. */
export interface ErrorRow {
  /** HTTP status of a response with this code. */
  readonly status: number;
  /** Whether the same request may succeed later without a change. A job is retried only if it is. */
  readonly retryable: boolean;
  /** `title` of the problem document (RFC 9457), the same for each occurrence. */
  readonly title: string;
  /** Cause and remedy, for docs/errors.md; also the `detail` of an error that has none of its own. */
  readonly doc: string;
}

/**
 * The only list of the errors that the service can return, in the order of their statuses.
 *
 * One row drives the HTTP status, the `retryable` flag, the retry of a job, the problem document, the `error` of a
 * record and docs/errors.md. Codes are public API: add, never rename.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    retryable: false,
    title: 'The request is not valid',
    doc: 'The JSON is malformed, or a field is unknown or invalid. `errors` lists each problem with a JSON pointer to the field and how to correct it.',
  },
  invalid_csv: {
    status: 400,
    retryable: false,
    title: 'The CSV is not valid',
    doc: 'The CSV is unreadable, a column is missing, duplicate or unknown, or rows are invalid under `on_invalid=reject`. `errors` names the `row` and `column`.',
  },
  session_origin: {
    status: 400,
    retryable: false,
    title: 'The address is not one of the session',
    doc: 'A capture with a `session` visits a page of one of the `origins` of the session, and so do the log-in and the check of the session. The origins of a session never change: make another session for other sites.',
  },
  unauthorized: {
    status: 401,
    retryable: false,
    title: 'A valid API key is required',
    doc: 'The API key is missing, malformed, unknown or revoked. Send `Authorization: Bearer <key>` or `X-API-Key: <key>`; a key in the query string is not accepted.',
  },
  allowance_exhausted: {
    status: 402,
    retryable: false,
    title: 'The allowance is used up',
    doc: 'The allowance of the account does not cover the request. Nothing was stored. `GET /v1/usage` shows what is left.',
  },
  target_forbidden: {
    status: 403,
    retryable: false,
    title: 'The target is not allowed',
    doc: 'The target, or an address it redirects to, is not a public web address, or its port is not allowed. The response never says which address was refused.',
  },
  robots_forbidden: {
    status: 403,
    retryable: false,
    title: 'robots.txt allows no page',
    doc: 'A crawl found no page that `robots.txt` of the site allows, or could not read `robots.txt` because the site answered with an error: until it can be read, a crawler stays away. It is the `error` of the crawl.',
  },
  signature_invalid: {
    status: 403,
    retryable: false,
    title: 'The link is not valid',
    doc: 'The key of the link is missing, unknown or revoked, or the signature is missing or does not fit the query: the link was changed after it was signed, or its secret was retired. Sign the query exactly as it is sent; `signature` stands last.',
  },
  host_forbidden: {
    status: 403,
    retryable: false,
    title: 'The Host or the Origin of the request is not allowed',
    doc: 'A request to `/mcp` names a host that is not known to be this service, or a web page of another site sent it. The operator states the host names in `PUBLIC_URL` and `MCP_HOSTS`.',
  },
  scope_missing: {
    status: 403,
    retryable: false,
    title: 'The key lacks a scope',
    doc: 'The route needs a scope that the API key does not have; `detail` names it. The scopes of a key never change: use another key, or ask the operator for one.',
  },
  address_forbidden: {
    status: 403,
    retryable: false,
    title: 'The key may not be used from this address',
    doc: 'The API key has `allowed_ips`, and the address of the client is not among them. Behind a proxy, the operator sets `TRUSTED_PROXIES`.',
  },
  account_paused: {
    status: 403,
    retryable: false,
    title: 'The account is paused',
    doc: 'The operator has paused the account: nothing new is accepted. What was accepted before ends, and what there is can be read and deleted.',
  },
  not_found: {
    status: 404,
    retryable: false,
    title: 'Not found',
    doc: 'The id is unknown or belongs to another account, or the route does not exist.',
  },
  no_picture: {
    status: 404,
    retryable: false,
    title: 'The capture has no picture',
    doc: 'The capture has no thumbnail: none of its files is a picture, it failed or was canceled, or its picture is too large. `detail` says which.',
  },
  sitemap_invalid: {
    status: 404,
    retryable: false,
    title: 'The site has no sitemap that can be read',
    doc: 'A crawl of a sitemap found none: neither `robots.txt` nor `/sitemap.xml` leads to one, or what they lead to is no sitemap, or it names no page of the site. It is the `error` of the crawl; `"source": "links"` follows the links of the pages instead.',
  },
  method_not_allowed: {
    status: 405,
    retryable: false,
    title: 'The route does not support this method',
    doc: '`Allow` lists the methods that the route supports.',
  },
  request_timeout: {
    status: 408,
    retryable: true,
    title: 'The request was not received in time',
    doc: 'The headers or the body of the request arrived too slowly.',
  },
  job_not_finished: {
    status: 409,
    retryable: true,
    title: 'The job has not finished',
    doc: 'The result was requested before the capture ended. Retry after `Retry-After` seconds.',
  },
  job_finished: {
    status: 409,
    retryable: false,
    title: 'The job has already finished',
    doc: 'A succeeded or failed job cannot be canceled.',
  },
  job_canceled: {
    status: 409,
    retryable: false,
    title: 'The job was canceled',
    doc: 'A canceled job has no result.',
  },
  limit_reached: {
    status: 409,
    retryable: false,
    title: 'The account has as many of these as it may have',
    doc: 'The operator limits how many captures, bytes, batches, webhooks, sessions and monitors an account may have; `detail` says which limit was reached. Delete some, or ask for more. An account has at most 20 crawls that have not ended.',
  },
  admin_key: {
    status: 409,
    retryable: false,
    title: 'The key has the scope admin',
    doc: 'A key with the scope `admin` is made and rotated on the machine of the service only, by `npm run keys`, and the last valid key with it cannot be revoked over HTTP.',
  },
  account_state: {
    status: 409,
    retryable: false,
    title: 'The state of the account does not allow this',
    doc: 'The account is being deleted, or it has the key that the request was sent with or the last key with the scope `admin`.',
  },
  idempotency_in_flight: {
    status: 409,
    retryable: true,
    title: 'The same Idempotency-Key is being processed',
    doc: 'A request with this Idempotency-Key is still being processed. Retry after `Retry-After` seconds.',
  },
  session_not_ready: {
    status: 409,
    retryable: false,
    title: 'The session cannot be used',
    doc: 'The session is expired, revoked, or failed, because three log-ins in a row have failed, or it was not ready within the timeout of the capture. `GET /v1/sessions/{id}` says why, and `POST /v1/sessions/{id}/login` logs in again.',
  },
  result_expired: {
    status: 410,
    retryable: false,
    title: 'The file has expired',
    doc: 'The file was deleted when it expired; the record is kept. Capture the page again, with a higher `expires_in_s` if you need the file for longer.',
  },
  link_expired: {
    status: 410,
    retryable: false,
    title: 'The link has expired',
    doc: 'The time in `expires` of the signed link is over. Sign a new link.',
  },
  payload_too_large: {
    status: 413,
    retryable: false,
    title: 'The request body is too large',
    doc: '`detail` states the limit.',
  },
  link_too_long: {
    status: 414,
    retryable: false,
    title: 'The link is too long',
    doc: 'The query of a signed link may be at most 8,192 bytes long. Shorten its options, or use `POST /v1/capture`.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    title: 'The content type is not supported',
    doc: 'Send the body in UTF-8, with a content type that `detail` names.',
  },
  range_not_satisfiable: {
    status: 416,
    retryable: false,
    title: 'The range is outside the file',
    doc: '`Content-Range` states the size of the file.',
  },
  idempotency_mismatch: {
    status: 422,
    retryable: false,
    title: 'The Idempotency-Key was used with another request',
    doc: 'An earlier request with another body or route used this Idempotency-Key. Use a new key for each new request.',
  },
  target_dns_error: {
    status: 422,
    retryable: false,
    title: "The target's host name could not be resolved",
    doc: 'The host name does not exist, or has no address. Check the spelling; `net_error` is the browser’s error.',
  },
  target_connection_failed: {
    status: 422,
    retryable: true,
    title: 'The target could not be reached',
    doc: 'The connection was refused, reset or closed, the response was not valid HTTP, or the document was truncated; `net_error` is the browser’s error.',
  },
  target_tls_error: {
    status: 422,
    retryable: false,
    title: "The target's certificate or TLS handshake failed",
    doc: 'The handshake failed, or the certificate is expired, self-signed or for another name; `net_error` says which.',
  },
  target_redirect_loop: {
    status: 422,
    retryable: false,
    title: 'Too many redirects',
    doc: 'The target redirects in a loop, or more often than the browser follows.',
  },
  target_http_error: {
    status: 422,
    retryable: false,
    title: 'The target returned a status in fail_on_status',
    doc: 'The status matches `fail_on_status`. Without that option the error page is captured and its status reported. `retry_after_s` is what the target asks for with `Retry-After`.',
  },
  target_empty_response: {
    status: 422,
    retryable: false,
    title: 'The target sent no content',
    doc: 'The server of the target closed the connection without an answer, or answered without content, such as with status 204.',
  },
  target_not_a_page: {
    status: 422,
    retryable: false,
    title: 'The target is not a page',
    doc: 'The target returned a download, or content that a browser does not display as a page.',
  },
  selector_not_found: {
    status: 422,
    retryable: false,
    title: 'A selector matched nothing on the page',
    doc: '`detail` names the option and its selector. Wait for the element with `wait_for_selector`, or correct the selector.',
  },
  action_failed: {
    status: 422,
    retryable: false,
    title: 'A step of actions could not be done',
    doc: '`errors` has the pointer of the step, such as `/actions/3`, what it expected and what was there: no element, or one that is hidden, disabled, covered by another one, outside the window or of another kind. `on_failure_picture` shows the page at that moment.',
  },
  login_failed: {
    status: 422,
    retryable: false,
    title: 'The log-in of the session failed',
    doc: 'A step of the log-in could not be performed, or its `check` did not find what shows that it worked. `errors` names the step. `GET /v1/sessions/{id}/picture` shows what the log-in saw last.',
  },
  clip_out_of_bounds: {
    status: 422,
    retryable: false,
    title: 'The clip is outside the page',
    doc: '`detail` states the size of the page.',
  },
  page_range: {
    status: 422,
    retryable: false,
    title: 'The page range is past the end of the document',
    doc: '`pdf_page_ranges` includes pages that the document does not have.',
  },
  script_failed: {
    status: 422,
    retryable: false,
    title: 'A script of the request failed on the page',
    doc: '`js` or `wait_for_function` threw an error, or the page prevents another option from working; `detail` has the message.',
  },
  print_failed: {
    status: 422,
    retryable: false,
    title: 'The page could not be printed',
    doc: 'The browser could not print the page with `pdf_header_html` or `pdf_footer_html`. They cannot load other files: include images, fonts and styles in the HTML or as `data:` URLs.',
  },
  condition_failed: {
    status: 422,
    retryable: false,
    title: 'The page did not meet a condition of the request',
    doc: '`fail_if_text` was found, `fail_if_text_missing` was not, or the page was judged as a kind in `fail_on_verdict`; `verdict` then says why.',
  },
  resource_limit: {
    status: 422,
    retryable: false,
    title: 'The page exceeds a resource limit',
    doc: 'The page exceeded a limit, such as of memory, bytes, pixels or requests; `detail` says which.',
  },
  concurrency_exceeded: {
    status: 429,
    retryable: true,
    title: 'Too many captures in progress',
    doc: 'The account has reached its limit of captures in progress. Retry after `Retry-After` seconds, or use `POST /v1/jobs`, which queues the capture.',
  },
  rate_limited: {
    status: 429,
    retryable: true,
    title: 'Too many requests',
    doc: 'The account has exceeded its request rate (256 kB of a body or 250 rows that are not accepted count as one more), very many of its requests wait for an answer, or the address has sent too many requests without a valid key. Retry after `Retry-After` seconds; the `RateLimit` header shows what is left.',
  },
  headers_too_large: {
    status: 431,
    retryable: false,
    title: 'The request has too many or too large headers',
    doc: '`detail` states the limit.',
  },
  browser_crashed: {
    status: 500,
    retryable: true,
    title: 'The browser crashed',
    doc: 'The browser or the page crashed on every attempt.',
  },
  worker_lost: {
    status: 500,
    // The capture may have killed two workers. A client that retries it may kill two more.
    retryable: false,
    title: 'Two workers were lost during the capture',
    doc: 'Two workers died while they ran this capture, and the page may be the cause. It is not retried.',
  },
  internal: {
    status: 500,
    retryable: true,
    title: 'Internal error',
    doc: 'The service failed unexpectedly. Include `request_id` when you report it.',
  },
  overloaded: {
    status: 503,
    retryable: true,
    title: 'The service is overloaded',
    doc: 'No worker was free in time. Retry after `Retry-After` seconds.',
  },
  dns_unavailable: {
    status: 503,
    retryable: true,
    title: 'The name servers did not answer',
    doc: 'The name servers of the service, or those of the target, failed or did not answer in time. The name may exist; retry after `Retry-After` seconds.',
  },
  storage_unavailable: {
    status: 503,
    retryable: true,
    title: 'The file store is unavailable',
    doc: 'The file could not be stored or read. Retry after `Retry-After` seconds.',
  },
  secrets_unreadable: {
    status: 503,
    retryable: false,
    title: 'The service has another encryption key',
    doc: 'Nothing is wrong with the request. The SECRETS_KEY of the service is not the one that its secrets were encrypted with, so it can neither check links, nor sign webhooks, nor use the secrets of a capture. Its operator must set the earlier key again.',
  },
  unavailable: {
    status: 503,
    retryable: true,
    title: 'The service is unavailable',
    doc: 'Part of the service is down or shutting down. Retry after `Retry-After` seconds.',
  },
  capture_timeout: {
    status: 504,
    retryable: false,
    title: 'The capture took too long',
    doc: 'A time limit of the request was exceeded; `detail` says which, `phase` where. Raise it, or capture what has loaded with `on_timeout: "capture"`.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];
