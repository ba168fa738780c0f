import path from 'node:path';
import { bundleApps, BUNDLES } from '../../apps/launcher/src/build.mjs';
import { root } from '../../apps/launcher/src/data-folder.mjs';
import { report } from '../../apps/launcher/src/output.mjs';
import { startServices } from './services.mjs';

/** Jest calls this once per project that uses it; the projects share the services. */
export default async function setUp() {
  if (globalThis.testServices) return;
  // As in `npm start`: beside other specs, captures would take longer than their time.
  process.env.BROWSER_NICENESS ??= '0';
  try {
    globalThis.testServices = await startServices();
    await bundleApps();
    process.env.TEST_BUNDLES = path.join(root, BUNDLES);
  } catch (error) {
    // Jest would also print a stack, which does not help.
    report(error);
    process.exit(1);
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void stopOn(signal));
}

async function stopOn(signal) {
  await globalThis.testServices?.stop();
  process.kill(process.pid, signal);
}
