// `npm run start:api`, `npm run start:worker`: one application alone, set by its environment, as in production.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { build } from '../apps/launcher/src/build.mjs';
import { loadDotEnv, root } from '../apps/launcher/src/data-folder.mjs';
import { report } from '../apps/launcher/src/output.mjs';
import { handOver, isNode24 } from '../apps/launcher/src/runtime.mjs';

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
