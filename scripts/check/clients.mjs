/**
 * Generates types from docs/openapi.json with a common generator, into a folder that git ignores, and compiles the calls of
 * docs/clients against them, as an integrator without the SDK does first.
 */
import { rmSync, writeFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTypes, { astToString } from 'openapi-typescript';
import { root } from '../../apps/launcher/src/data-folder.mjs';
import { run } from '../../apps/launcher/src/processes.mjs';

const DOCUMENT = path.join(root, 'docs/openapi.json');
const FOLDER = path.join(root, 'docs/clients');
const GENERATED = path.join(FOLDER, 'generated');
const COMPILER = path.join(root, 'node_modules/typescript-native/bin/tsc');

rmSync(GENERATED, { recursive: true, force: true });
mkdirSync(GENERATED, { recursive: true });
const types = astToString(await openapiTypes(pathToFileURL(DOCUMENT), { silent: true }));
writeFileSync(path.join(GENERATED, 'openapi.ts'), types);

const compile = { command: process.execPath, args: [COMPILER, '--noEmit', '-p', FOLDER] };
const { code, stdout, stderr } = await run(compile, { cwd: root });
if (code !== 0) {
  console.log(`${stdout}${stderr}`);
  process.exitCode = 1;
}
