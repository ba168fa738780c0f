import { AfterAll, BeforeAll, Given, setDefaultTimeout } from '@cucumber/cucumber';
import type { DataTable } from '@cucumber/cucumber';
import { LIMITS, startService, type LimitName } from '../service.js';
import { Scenario } from '../scenario.js';

/** More than any step takes, also on a busy machine: a step that hangs fails by this. */
const STEP_TIMEOUT_MS = 60_000;
const START_TIMEOUT_MS = 120_000;

setDefaultTimeout(STEP_TIMEOUT_MS);

BeforeAll({ timeout: START_TIMEOUT_MS }, async () => {
  Scenario.service = await startService();
});

AfterAll({ timeout: START_TIMEOUT_MS }, async () => {
  await Scenario.service?.stop();
});

Given('my account has the limits:', function (this: Scenario, table: DataTable) {
  this.setLimits(Object.fromEntries(Object.entries(table.rowsHash()).map(readLimit)));
});

function readLimit([name, value]: [string, string]): [LimitName, number] {
  const limit = LIMITS.find((known) => known === name);
  if (!limit) throw new Error(`An account has no ${name}: its limits are ${LIMITS.join(', ')}`);
  return [limit, Number(value)];
}
