import { CONSOLE_PATH } from '../../http/auth/console-cookie.js';

const MAX_LENGTH = 1_000;
/** Stands for this service, whichever its name is. */
const HERE = 'http://console.invalid';

/** The path of a page of the console below /console, for a path that the console knows, such as `/usage`; undefined for others. */
export function consolePath(to: unknown = '/'): string | undefined {
  if (typeof to !== 'string' || !to.startsWith('/') || to.length > MAX_LENGTH) return undefined;
  const address = `${HERE}${CONSOLE_PATH}${to}`;
  if (!URL.canParse(address)) return undefined;
  const { origin, pathname, search } = new URL(address);
  // `..` may have led out of the console, where the routes of the API are.
  const isPage = origin === HERE && pathname.startsWith(`${CONSOLE_PATH}/`) && !pathname.startsWith('//');
  return isPage ? `${pathname}${search}` : undefined;
}
