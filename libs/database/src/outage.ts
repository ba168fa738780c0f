import { AppError } from '@app/kernel';
import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';

/** Codes of Node for a peer that is not there, and SQLSTATE classes for a database that cannot take us now. */
const NODE_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);
const SQLSTATE_CLASSES = ['08', '53', '57'];
/** The server has become a standby, which takes no writes. */
export const READ_ONLY = '25006';

/** No connection could be had to begin a transaction with. */
export class NoConnectionError extends Error {
  override readonly name = 'NoConnectionError';
}

/** Whether an error says that something the service needs is away, as opposed to a fault of ours. Judged by shape. */
export function isOutage(thrown: unknown): boolean {
  // What is one has been judged.
  if (!(thrown instanceof Error) || thrown instanceof AppError) return false;
  if (thrown instanceof NoConnectionError || isCutShort(thrown)) return true;
  if (thrown instanceof AggregateError && thrown.errors.some(isOutage)) return true;
  const { code, driverError } = thrown as { code?: unknown; driverError?: unknown };
  if (typeof code === 'string' && isOutageCode(code)) return true;
  return isOutage(driverError) || isOutage(thrown.cause);
}

/** The connection was lost within a statement, which then has no verdict of the server, or between two of them. */
function isCutShort(error: Error): boolean {
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  return error instanceof QueryFailedError && !('code' in error.driverError);
}

function isOutageCode(code: string): boolean {
  return (
    NODE_CODES.has(code) ||
    code === READ_ONLY ||
    (/^[0-9A-Z]{5}$/.test(code) && SQLSTATE_CLASSES.includes(code.slice(0, 2)))
  );
}
