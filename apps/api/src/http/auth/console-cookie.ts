import type { Request, Response } from 'express';

declare module 'http' {
  interface IncomingMessage {
    /** The id of the key that the console acts as; set by console-access.middleware.ts. */
    consoleKeyId?: string;
  }
}

/** Below this path are the console and all that takes its cookie; `/v1` never gets it. */
export const CONSOLE_PATH = '/console';
/** The routes of single sign-on. */
export const SIGN_ON_PATH = `${CONSOLE_PATH}/session/oidc`;
/**
 * A request of the console that changes something carries this header. A page of another site cannot send it without the
 * leave of this server, which gives none.
 */
export const CONSOLE_HEADER = 'X-Capture-Console';

const COOKIE = 'capture_console';

/** The token of the session; undefined without one. */
export function sessionToken(request: Request): string | undefined {
  return cookieOf(request, COOKIE);
}

/** The value of a cookie; undefined without it. */
export function cookieOf(request: Request, name: string): string | undefined {
  for (const pair of (request.get('cookie') ?? '').split(';')) {
    const [each, value] = pair.trim().split('=');
    if (each === name) return value;
  }
  return undefined;
}

/** Sets the cookie of a session, or deletes it. Scripts cannot read it, and other sites cannot make a browser send it. */
export function setSessionCookie(response: Response, session: { token: string; lifeS: number } | null): void {
  const attributes = {
    httpOnly: true,
    sameSite: 'strict',
    secure: response.req.secure,
    path: CONSOLE_PATH,
  } as const;
  if (session) response.cookie(COOKIE, session.token, { ...attributes, maxAge: session.lifeS * 1_000 });
  else response.clearCookie(COOKIE, attributes);
}
