import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import setUpServices from '../../support/services.setup.mjs';

/** Also creates the file to which the faults of the run report. */
export default async function setUp() {
  await setUpServices();
  process.env.FAULTS_REPORT ??= path.join(
    mkdtempSync(path.join(os.tmpdir(), `capture-test-${process.pid}-seen-`)),
    'seen',
  );
}
