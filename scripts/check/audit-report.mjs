const SERIOUS = ['high', 'critical'];

/** Reads the vulnerabilities from the output of `npm audit --json`, or the reason why it has none. */
export function readReport(text) {
  const report = parsed(text);
  if (report?.vulnerabilities) return { vulnerabilities: Object.values(report.vulnerabilities) };
  // Of "405 Method Not Allowed - POST https://…" the request is left out.
  const reason = report?.message?.split(' - ')[0] ?? 'npm gave no report';
  return { skipped: `the registry gives no advisories (${reason})` };
}

/**
 * Returns a line for each serious advisory that `accepted` (id → reason) does not name, and for each entry of `accepted`
 * without a reason or without an advisory. A vulnerability without advisories of its own repeats that of a dependency.
 */
export function findings(vulnerabilities, accepted) {
  const advisories = vulnerabilities
    .flatMap(({ name, via }) =>
      via.filter((each) => typeof each === 'object').map((each) => ({ name, ...each })),
    )
    .map((advisory) => ({ ...advisory, id: advisory.url.slice(advisory.url.lastIndexOf('/') + 1) }));
  const serious = advisories.filter(({ id, severity }) => SERIOUS.includes(severity) && !(id in accepted));
  const reported = new Set(advisories.map(({ id }) => id));
  return [
    ...serious.map(
      ({ name, range, severity, title, id }) => `${name} ${range}: ${severity}, ${title} (${id})`,
    ),
    ...Object.keys(accepted)
      .filter((id) => !reported.has(id))
      .map((id) => `${id} is accepted but not reported any more: remove it`),
    ...Object.keys(accepted)
      .filter((id) => !accepted[id])
      .map((id) => `${id} is accepted without a reason`),
  ];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
