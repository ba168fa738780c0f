/** Codes of Node for a peer that is not there, and SQLSTATE classes for a database that cannot take us now. */
const NODE_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN']);
const SQLSTATE_CLASSES = ['08', '53', '57'];

/**
 * Whether an error says that something the service needs is away, as opposed to a fault of ours. Judged by shape:
 * the app knows no driver.
 */
export function isOutage(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof AggregateError && thrown.errors.some(isOutage)) return true;
  const { code, driverError } = thrown as { code?: unknown; driverError?: unknown };
  if (typeof code === 'string' && isOutageCode(code)) return true;
  return isOutage(driverError) || isOutage(thrown.cause);
}

function isOutageCode(code: string): boolean {
  return NODE_CODES.has(code) || (/^[0-9A-Z]{5}$/.test(code) && SQLSTATE_CLASSES.includes(code.slice(0, 2)));
}
