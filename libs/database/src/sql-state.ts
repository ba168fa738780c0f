/** The SQLSTATE that the database refused a statement with; undefined when it did not say anything. */
export function sqlStateOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { driverError } = thrown as { driverError?: { code?: unknown } };
  const code = driverError?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
