import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { AppError } from '@app/kernel';
import { STATE_TEXTS } from './database-state.js';
import type { SchemaFault } from './schema-version.js';

/** Codes of Node for an unreachable server, and SQLSTATE classes of a server that is not available now. */
const NODE_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);
const SQLSTATE_CLASSES = ['08', '53', '57'];
/** The SQLSTATE of a standby, which accepts no writes. */
export const READ_ONLY = '25006';

/** The database could not be connected to, so no statement was run. */
export class NoConnectionError extends Error {
  override readonly name = 'NoConnectionError';
}

/** This version cannot work on the schema of the database. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';

  constructor(
    readonly fault: SchemaFault,
    cause?: unknown,
  ) {
    super(`The database cannot be used: ${STATE_TEXTS[fault]}.`, { cause });
  }
}

/** Whether an error, judged by its shape, means that the database or the network is unavailable, as opposed to a bug. */
export function isOutage(thrown: unknown): boolean {
  // An AppError has been classified already.
  if (!(thrown instanceof Error) || thrown instanceof AppError) return false;
  if (thrown instanceof NoConnectionError || isConnectionLost(thrown)) return true;
  if (thrown instanceof AggregateError && thrown.errors.some(isOutage)) return true;
  const { code, driverError } = thrown as { code?: unknown; driverError?: unknown };
  if (typeof code === 'string' && isOutageCode(code)) return true;
  return isOutage(driverError) || isOutage(thrown.cause);
}

/** The connection was lost during a statement, which then has no SQLSTATE, or between two statements. */
function isConnectionLost(error: Error): boolean {
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

/** The SQLSTATE of a statement that the database refused; undefined for other errors. */
export function sqlStateOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { driverError } = thrown as { driverError?: { code?: unknown } };
  const code = driverError?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
