/** `npm run bench -- bulk`: the cost of batches; each part is a file of bench/bulk. */
import os from 'node:os';
import { startApps } from '../test/support/apps.js';
import { measureAccepting } from './bulk/accept.js';
import { measureExport } from './bulk/export.js';
import { measureThroughput } from './bulk/throughput.js';
import { openAccounts } from './load.js';

await using apps = await startApps();
// The bench measures the API; a worker would capture at the same time.
await apps.worker.stop();
const load = os.loadavg()[0]?.toFixed(1) ?? '?';
console.log(`load of the machine before: ${load}, cores: ${os.availableParallelism()}`);
const [account = { id: '', key: '' }] = await openAccounts(apps.database.url, 1);
// It comes first, because it measures the memory of a new process.
await measureAccepting(apps, account);
await measureExport(apps, account);
await measureThroughput({ rows: 48, rounds: 3, concurrency: 2 });
