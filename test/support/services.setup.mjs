import { report } from '../../apps/launcher/src/output.mjs';
import { startServices } from './services.mjs';

/** Jest calls this once for each project that uses it; they share the services. */
export default async function setUp() {
  if (globalThis.testServices) return;
  try {
    globalThis.testServices = await startServices();
  } catch (error) {
    // Jest would print the stack of a message that explains itself.
    report(error);
    process.exit(1);
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void stopOn(signal));
}

async function stopOn(signal) {
  await globalThis.testServices?.stop();
  process.kill(process.pid, signal);
}
