// `npm run start:api`, `npm run start:worker`: one application alone, set by its environment, as in production.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { build } from './launcher/build.mjs';
import { handOver, isNode24 } from './launcher/node24.mjs';
import { report } from './launcher/output.mjs';
import { loadDotEnv, root } from './launcher/paths.mjs';

try {
  loadDotEnv();
  const entry = path.join(root, 'dist/apps', process.argv[2] ?? 'api', 'src/main.js');
  if (!existsSync(entry)) await build();
  if (isNode24()) await import(entry);
  else await handOver(['--enable-source-maps', entry]);
} catch (error) {
  report(error);
  process.exit(1);
}
