import { readLogin } from './stored-login.js';
import { CliError } from './cli-error.js';

/** The flags that every command has. */
export interface GlobalFlags {
  readonly json?: boolean | undefined;
  readonly server?: string | undefined;
  readonly key?: string | undefined;
}

/** Where the service is, and the key for it. */
export interface Connection {
  readonly url: string | undefined;
  readonly key: string | undefined;
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The service and the key: flags before environment before the stored log-in. In a checkout of the service,
 * scripts/capture.mjs names the one that runs there, which comes last. A key is sent only to the service it was stored for.
 */
export function connectionOf(flags: GlobalFlags, env: Env): Connection {
  const stated = flags.server || env.CAPTURE_URL || undefined;
  const key = flags.key || env.CAPTURE_API_KEY || undefined;
  if (stated !== undefined && key !== undefined) return { url: checkedUrl(stated), key };
  const known = [readLogin(env), local(env)].filter((login) => login !== undefined);
  const url = stated === undefined ? known[0]?.url : checkedUrl(stated);
  return { url, key: key ?? known.find((login) => login.url === url)?.key };
}

/** The service of the checkout. */
function local(env: Env): Connection | undefined {
  const { CAPTURE_LOCAL_URL: url, CAPTURE_LOCAL_KEY: key } = env;
  return url ? { url, key: key || undefined } : undefined;
}

/**
 * Returns the base URL without a slash at its end.
 *
 * @throws CliError unless it is one
 */
export function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash) {
    throw new CliError(
      `${JSON.stringify(text)} is not the URL of a service, such as https://capture.example.com.`,
    );
  }
  return url.href.replace(/\/+$/, '').replace(/\/v1$/, '');
}
