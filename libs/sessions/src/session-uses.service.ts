import { Injectable } from '@nestjs/common';
import { bindSession, type CaptureOptions } from '@app/capture';
import { AppError, invalidRequest } from '@app/kernel';
import type { Session } from './session.entity.js';
import { SessionRepository } from './session.repository.js';
import { isOver } from './session-status.js';

/** Decides whether captures may use the sessions that they name. */
@Injectable()
export class SessionUsesService {
  constructor(private readonly repository: SessionRepository) {}

  /**
   * Binds the options of a capture to the session that they name, so that they hold its id. Options without a session cost nothing.
   *
   * @throws AppError `invalid_request` for an unknown session, `session_origin`, `session_not_ready`
   */
  async bind(accountId: string, options: CaptureOptions): Promise<void> {
    const [error] = await this.bindAll(accountId, [options]);
    if (error) throw error;
  }

  /** As `bind`, with one query; returns why each capture is refused, or undefined. */
  async bindAll(accountId: string, all: readonly CaptureOptions[]): Promise<(AppError | undefined)[]> {
    const names = [...new Set(all.flatMap(({ session }) => session ?? []))];
    const sessions = names.length === 0 ? [] : await this.repository.listNamed(accountId, names);
    // A name that looks like an id means the session with this id.
    const known = new Map([...sessions.map((each) => [each.name, each] as const)]);
    for (const each of sessions) known.set(each.id, each);
    return all.map((options) => {
      if (options.session === undefined) return undefined;
      const session = known.get(options.session);
      const error = refusalOf(session, options);
      if (session && !error) bindSession(options, session);
      return error;
    });
  }
}

function refusalOf(session: Session | undefined, { url }: CaptureOptions): AppError | undefined {
  if (!session) {
    const detail = 'is not a session of this account: give the name or the id of one';
    return invalidRequest([{ pointer: '/session', code: 'unknown_session', detail }]);
  }
  if (isOver(session.status)) return notReady(session);
  const origin = url === undefined ? undefined : URL.parse(url)?.origin;
  if (origin !== undefined && session.origins.includes(origin)) return undefined;
  const detail = `url must be of an origin of the session: ${session.origins.join(', ')}.`;
  return new AppError('session_origin', {
    detail,
    errors: [{ pointer: '/url', code: 'session_origin', detail }],
  });
}

/** Why a session that is over refuses captures, and what its owner can do. */
export function notReady({ status, error, logIn }: Session): AppError {
  const isUnreadable = error?.code === 'secrets_unreadable';
  const reason = isUnreadable
    ? ' SECRETS_KEY of the service is not the one that it was encrypted with, which the operator must set again.'
    : error === null
      ? ''
      : ` The last log-in ended with ${error.code}.`;
  const remedy =
    status === 'revoked' || (logIn === null && !isUnreadable)
      ? 'Make another one with POST /v1/sessions.'
      : 'Log in again with POST /v1/sessions/{id}/login.';
  return new AppError('session_not_ready', { detail: `The session is ${status}.${reason} ${remedy}` });
}
