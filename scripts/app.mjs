// `npm run start:api`, `npm run start:worker`: one application alone, set by its environment, as in production.
import { existsSync } from 'node:fs';
import module from 'node:module';
import path from 'node:path';
import { build } from '../apps/launcher/src/build.mjs';
import { dataFolder, loadDotEnv, root } from '../apps/launcher/src/data-folder.mjs';
import { report } from '../apps/launcher/src/output.mjs';
import { handOver, isNode24, SOURCE_MAPS } from '../apps/launcher/src/runtime.mjs';

try {
  loadDotEnv();
  const entry = path.join(root, 'dist/apps', process.argv[2] ?? 'api', 'src/main.js');
  if (!existsSync(entry)) await build();
  // Node keeps the compiled code of the many modules, which saves a fifth of the start. Without the folder it goes without.
  process.env.NODE_COMPILE_CACHE ||= path.join(dataFolder(), 'compile-cache');
  if (isNode24()) {
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
    await import('../apps/launcher/src/source-maps.mjs');
    await import(entry);
  } else await handOver([...SOURCE_MAPS, entry]);
} catch (error) {
  report(error);
  process.exit(1);
}
