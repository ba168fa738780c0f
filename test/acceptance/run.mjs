// `node run.mjs <file for the results> [feature files]` runs the scenarios, all by default, on a service of their own.
// scripts/test.mjs starts it.
import { writeFileSync } from 'node:fs';
import { loadConfiguration, runCucumber } from '@cucumber/cucumber/api';
import setUp from '../support/services.setup.mjs';
import tearDown from '../support/services.teardown.mjs';
import { ScenarioResults } from './scenario-results.mjs';

const [resultsFile, ...paths] = process.argv.slice(2);

const results = new ScenarioResults();
// It also builds the steps, as it does all that a run needs.
await setUp();
try {
  const { runConfiguration } = await loadConfiguration({
    file: false,
    provided: {
      paths: paths.length > 0 ? paths : ['test/acceptance/features/*.feature'],
      import: ['dist/test/acceptance/steps/*.js'],
      format: ['progress'],
      // Each scenario has an account of its own: none may need what another one did.
      order: 'random',
    },
  });
  const { success } = await runCucumber(runConfiguration, {}, (message) => results.add(message));
  const features = results.list();
  writeFileSync(resultsFile, JSON.stringify(features));
  // For Cucumber a scenario without steps is none that failed.
  process.exitCode = success && features.every(({ status }) => status === 'passed') ? 0 : 1;
} finally {
  await tearDown();
}
