import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import tearDownServices from '../../support/services.teardown.mjs';

/** Prints the report of the faults of the run once. */
export default async function tearDown() {
  const file = process.env.FAULTS_REPORT;
  delete process.env.FAULTS_REPORT;
  if (file !== undefined) {
    if (existsSync(file)) process.stdout.write(table(readFileSync(file, 'utf8')));
    rmSync(path.dirname(file), { recursive: true, force: true });
  }
  await tearDownServices();
}

function table(text) {
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .sort((one, other) => one.fault.localeCompare(other.fault, 'en', { numeric: true }));
  const lines = rows.map(({ fault, where, seen }) => `  ${fault.padEnd(4)} ${where.padEnd(11)} ${seen}`);
  return ['\nFaults and how the service recovered:', ...lines, '', ''].join('\n');
}
