import type { SessionRecord } from '@capture-service/client';

/** What models see of a session. */
export function sessionItem(session: SessionRecord): object {
  const { name, status, is_logging_in, origins, checked_at, expires_at, error } = session;
  return {
    name,
    status,
    is_logging_in,
    origins,
    checked_at,
    expires_at,
    error: error && `${error.code}: ${error.detail}`,
  };
}
