/** Orchestrators poll these every few seconds; a log line or a span for each would bury the rest. */
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/startupz']);

export function isProbe(path: string): boolean {
  return PROBES.has(path);
}
