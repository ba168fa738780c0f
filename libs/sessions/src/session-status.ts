/**
 * The states of a session and every allowed move.
 *
 *   pending → active                    (a log-in has succeeded)
 *   pending | active → failed           (three log-ins in a row have failed, or a check of a session that cannot log in; or
 *                                       SECRETS_KEY opens its state or its secrets no more)
 *   active → pending                    (a log-in that was to renew it has failed, or a check says that it has ended)
 *   active → expired                    (`expires_in_s` after its last log-in)
 *   failed | expired → pending          (a person asks for a log-in)
 *   failed → active                     (a person asks for it, and SECRETS_KEY opens the state of a session without a log-in again)
 *   any → revoked                       (deleted: the row stays for a while, without any secret, for captures that name it)
 *
 * At most one log-in of a session is open: `log_in_job_id` names its job, whose lease is the lease of the log-in. The transaction
 * that ends the job, in whichever way, also ends the log-in. A session that logs in, or is `pending`, makes its captures wait.
 */
export const SESSION_STATUSES = ['pending', 'active', 'expired', 'failed', 'revoked'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** More could lock a person out of the account of the site. */
export const MAX_FAILED_LOG_INS = 3;

/** Whether captures with a session in this state are refused: only its owner can make it usable again. */
export function isOver(status: SessionStatus): boolean {
  return status === 'expired' || status === 'failed' || status === 'revoked';
}
