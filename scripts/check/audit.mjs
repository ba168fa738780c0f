/**
 * Fails for a known vulnerability, high or critical, of a package that reaches an operator. It is skipped when the registry
 * does not answer, which has nothing to do with the change that is checked.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../apps/launcher/src/data-folder.mjs';
import { npmCommand } from '../../apps/launcher/src/fetched-package.mjs';
import { run } from '../../apps/launcher/src/processes.mjs';
import { findings, readReport } from './audit-report.mjs';

const TIMEOUT_MS = 45_000;
const ACCEPTED = path.join(root, 'scripts/check/accepted-advisories.json');

const report = readReport(await audit());
if (report.skipped) console.log(`skipped: ${report.skipped}`);
else {
  const { accepted } = JSON.parse(readFileSync(ACCEPTED, 'utf8'));
  const lines = findings(report.vulnerabilities, accepted);
  for (const line of lines) console.log(line);
  if (lines.length > 0) process.exitCode = 1;
}

/** Runs `npm audit`. Its exit code is 1 for a finding and for a registry that refuses, so the output decides. */
async function audit() {
  const flags = ['audit', '--omit=dev', '--json', '--fetch-retries=0', '--loglevel=silent'];
  const { stdout } = await run(npmCommand(flags), { cwd: root, timeoutMs: TIMEOUT_MS });
  return stdout;
}
