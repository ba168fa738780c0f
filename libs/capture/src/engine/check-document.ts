import type { WaitingOptions } from '../options/waiting.js';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';

/** Chromium takes any number for a status; no other is one (RFC 9110, 15), and a record has no room for it. */
const MIN_STATUS = 200;
const MAX_STATUS = 999;
/** The egress proxy answers so to a browser that does not know its credential; it passes on no 407 of a target. */
const PROXY_STATUS = 407;

/**
 * Whether the document that the page shows came as a whole.
 *
 * One that broke off is not captured by default: a second attempt may get all of it. With `on_timeout: 'capture'` what came
 * of it is captured as not complete, unless nothing did: Chromium never draws a document without a body.
 *
 * @throws Error with the name of a net error
 */
export async function checkDocument(visit: Visit, options: WaitingOptions): Promise<void> {
  const { response, broken } = visit;
  if (!response) return;
  const status = response.status();
  if (status === PROXY_STATUS) throw new Error('net::ERR_PROXY_AUTH_REQUESTED');
  if (status < MIN_STATUS || status > MAX_STATUS) throw new Error('net::ERR_INVALID_HTTP_RESPONSE');
  if (broken?.response !== response) return;
  if (options.on_timeout === 'fail' || !(await inPage(visit, hasBody, null))) throw new Error(broken.reason);
  visit.facts.complete = false;
}

/** Runs in the page. */
function hasBody(_: null, safe: SafeAccess): boolean {
  // The types do not know that there may be none.
  const body = safe(document).body as HTMLElement | null;
  return body !== null && safe(body).hasChildNodes();
}
