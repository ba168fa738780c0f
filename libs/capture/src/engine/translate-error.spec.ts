import { describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { PageScriptError } from '../pipeline/in-page.js';
import { translateError, type FailureContext } from './translate-error.js';

const where: FailureContext = {
  phase: 'navigate',
  elapsedMs: 1_234,
  target: new URL('https://shop.example.com:8443/a?b'),
  status: undefined,
  requested: undefined,
  refusal: undefined,
};
const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

describe(translateError.name, () => {
  it.each([
    ['ERR_NAME_NOT_RESOLVED', 'target_dns_error'],
    ['ERR_NAME_RESOLUTION_FAILED', 'dns_unavailable'],
    ['ERR_DNS_TIMED_OUT', 'dns_unavailable'],
    ['ERR_CONNECTION_REFUSED', 'target_connection_failed'],
    ['ERR_CONNECTION_RESET', 'target_connection_failed'],
    ['ERR_CONNECTION_TIMED_OUT', 'target_connection_failed'],
    ['ERR_ADDRESS_UNREACHABLE', 'target_connection_failed'],
    ['ERR_HTTP2_PROTOCOL_ERROR', 'target_connection_failed'],
    ['ERR_SOMETHING_NEW', 'target_connection_failed'],
    ['ERR_CERT_DATE_INVALID', 'target_tls_error'],
    ['ERR_CERT_AUTHORITY_INVALID', 'target_tls_error'],
    ['ERR_SSL_PROTOCOL_ERROR', 'target_tls_error'],
    ['ERR_SSL_VERSION_OR_CIPHER_MISMATCH', 'target_tls_error'],
    ['ERR_TOO_MANY_REDIRECTS', 'target_redirect_loop'],
    ['ERR_EMPTY_RESPONSE', 'target_empty_response'],
    ['ERR_ABORTED', 'target_not_a_page'],
    ['ERR_UNKNOWN_URL_SCHEME', 'target_not_a_page'],
    ['ERR_BLOCKED_BY_CLIENT', 'target_forbidden'],
    ['ERR_BLOCKED_BY_ADMINISTRATOR', 'target_forbidden'],
    ['ERR_UNSAFE_REDIRECT', 'target_forbidden'],
    ['ERR_UNSAFE_PORT', 'target_forbidden'],
    ['ERR_INSUFFICIENT_RESOURCES', 'resource_limit'],
  ])('reads net::%s as %s', (name, code) => {
    const cause = new Error(`net::${name} at https://shop.example.com:8443/a?b`);
    const error = translateError(cause, where);
    // It would say why a target is forbidden.
    const netError = code === 'target_forbidden' ? undefined : `net::${name}`;
    expect([error.code, error.facts.netError, error.facts.phase]).toEqual([code, netError, 'navigate']);
    expect(error.cause).toBe(cause);
  });

  it.each([204, 205])('reads an aborted navigation to a %d as an empty response', (status) => {
    expect(translateError(new Error('net::ERR_ABORTED'), { ...where, status }).code).toBe(
      'target_empty_response',
    );
  });

  it('uses the proxy’s reason when Chromium only reports a refusal', () => {
    const refused = { ...where, requested: 'http://cdn.example.com/', refusal: 'ERR_NAME_NOT_RESOLVED' };
    for (const said of ['ERR_TUNNEL_CONNECTION_FAILED', 'ERR_RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH']) {
      const error = translateError(new Error(`net::${said} at x`), refused);
      expect([error.code, error.facts.netError]).toEqual(['target_dns_error', 'net::ERR_NAME_NOT_RESOLVED']);
      expect(error.message).toBe('Could not resolve cdn.example.com');
      const unexplained = translateError(new Error(`net::${said} at x`), where);
      expect(unexplained.code).toBe('target_connection_failed');
      // The name of our own trick says nothing of the target.
      expect(unexplained.facts.netError).toMatch(/^net::ERR_(CONNECTION_FAILED|INVALID_HTTP_RESPONSE)$/);
    }
    expect(translateError(new Error('net::ERR_CERT_DATE_INVALID'), refused).code).toBe('target_tls_error');
  });

  it('names the host, except of a forbidden target', () => {
    const messageOf = (net: string): string => translateError(new Error(`net::${net} at x`), where).message;
    expect(messageOf('ERR_NAME_NOT_RESOLVED')).toBe('Could not resolve shop.example.com:8443');
    expect(messageOf('ERR_UNSAFE_REDIRECT')).toMatch(/is not a public web address/);
  });

  it.each([
    [named('TargetCloseError', 'Protocol error (Page.captureScreenshot): Target closed'), 'browser_crashed'],
    [named('TargetCloseError', 'anything'), 'browser_crashed'],
    [named('ConnectionClosedError', 'Connection closed.'), 'browser_crashed'],
    [new Error('Navigating frame was detached'), 'browser_crashed'],
    [new Error('Attempted to use detached Frame "1".'), 'browser_crashed'],
    [new Error('Page crashed!'), 'browser_crashed'],
    [new Error('Protocol error (Page.printToPDF): Page range exceeds page count'), 'page_range'],
    [new Error('Protocol error (Page.captureScreenshot): Page is too large.'), 'resource_limit'],
    [new Error('Protocol error (Page.captureScreenshot): Unable to capture screenshot'), 'resource_limit'],
    [named('TimeoutError', 'Navigation timeout of 30000 ms exceeded'), 'capture_timeout'],
    [new Error('something else'), 'internal'],
    ['a text', 'internal'],
  ])('reads %s as %s', (thrown, code) => {
    const error = translateError(thrown, { ...where, phase: 'render' });
    expect([error.code, error.facts.phase]).toEqual([code, 'render']);
  });

  it('does not retry a script that fails in the page', () => {
    const error = translateError(new PageScriptError('TypeError: x'.padEnd(1_000, 'x')), where);
    expect([error.code, error.retryable, error.facts.phase]).toEqual(['script_failed', false, 'navigate']);
    expect(error.message).toMatch(/TypeError: x{200,299}…$/);
  });

  it('reports the duration of a timeout', () => {
    const error = translateError(named('TimeoutError', 'x'), where);
    expect(error.toBody()).toMatchObject({ code: 'capture_timeout', phase: 'navigate', elapsed_ms: 1_234 });
  });

  it('keeps an AppError and adds the phase', () => {
    const own = new AppError('selector_not_found', { detail: 'selector (#a) matches nothing' });
    expect(translateError(own, where).toBody()).toMatchObject({
      code: 'selector_not_found',
      detail: 'selector (#a) matches nothing',
      phase: 'navigate',
    });
    const placed = new AppError('capture_timeout', { phase: 'prepare', elapsedMs: 5 });
    expect(translateError(placed, where).facts).toMatchObject({ phase: 'prepare', elapsedMs: 5 });
  });

  it('hides internal details from the caller', () => {
    expect(translateError(new Error('secret path'), where).message).not.toContain('secret');
  });
});
