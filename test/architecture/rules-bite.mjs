/**
 * Proves that each rule of ours still bites: plants one violation of each in a scratch tree and sees it reported,
 * and plants what is allowed and sees it pass. A rule that is switched off, misspelt or overtaken by a new layout
 * reports nothing, which looks exactly like a tree without faults.
 *
 * Run by `npm run check`; by itself: `node scripts/node24.mjs test/architecture/rules-bite.mjs`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import CONFIG, { PLAIN, TYPED } from '../../oxlint.config.mjs';
import { HOUSE_RULES } from '../../scripts/check/house-rules.mjs';
import { TABLE_OWNERS } from '../../scripts/check/table-owners.mjs';
import { FORBIDDEN_IN_CONSOLE } from './console-seeds.mjs';
import {
  ALLOWED_IMPORTS,
  FORBIDDEN_BY_TYPES,
  FORBIDDEN_CODE,
  FORBIDDEN_IMPORTS,
  INSTALLED,
  PERMITTED_CODE,
} from './seeds.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);
/** oxlint looks for it in the tree that it reads. */
const TSGOLINT = path.join(ROOT, 'node_modules/.bin/tsgolint');

const dir = mkdtempSync(path.join(tmpdir(), 'rules-bite-'));
const faults = [];
try {
  plant('package.json', JSON.stringify({ type: 'module', ...INSTALLED.manifest }));
  const { compilerOptions } = require('../../tsconfig.json');
  plant('tsconfig.json', JSON.stringify({ compilerOptions: { ...compilerOptions, types: [] } }));
  for (const name of INSTALLED.packages) {
    plant(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
    plant(`node_modules/${name}/index.js`, '');
    plant(`node_modules/${name}/index.d.ts`, 'declare const anything: any; export default anything;');
  }
  checkDirections();
  checkTableOwners();
  checkLint();
} finally {
  rmSync(dir, { recursive: true, force: true });
}

for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? 'every rule bites' : `${faults.length} rules do not do what they say`);
process.exitCode = faults.length === 0 ? 0 : 1;

function plant(file, text) {
  const target = path.join(dir, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
}

function plantAll(files) {
  for (const [file, text] of Object.entries(files)) plant(file, text);
}

/** Notes every rule without a seed: it would never be seen to fail. */
function demandSeeds(names, seeds) {
  for (const name of names) if (!(name in seeds)) faults.push(`${name}: no violation is seeded`);
}

function checkDirections() {
  const config = path.join(ROOT, '.dependency-cruiser.cjs');
  demandSeeds(
    require(config).forbidden.map(({ name }) => name),
    FORBIDDEN_IMPORTS,
  );
  plantAll(ALLOWED_IMPORTS);
  for (const files of Object.values(FORBIDDEN_IMPORTS)) plantAll(files);
  const cli = path.join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const run = spawnSync(
    process.execPath,
    [cli, 'apps', 'libs', 'scripts', 'test', '--config', config, '--output-type', 'json'],
    { cwd: dir, encoding: 'utf8', maxBuffer: 100_000_000 },
  );
  if (!run.stdout.startsWith('{')) throw new Error(`dependency-cruiser did not run: ${run.stderr}`);
  const found = JSON.parse(run.stdout).summary.violations.map(({ rule, from }) => [rule.name, from]);
  for (const [name, files] of Object.entries(FORBIDDEN_IMPORTS)) {
    const [culprit] = Object.keys(files);
    if (!found.some(([rule, from]) => rule === name && from === culprit)) {
      faults.push(`${name}: does not report ${culprit}`);
    }
  }
  for (const [rule, from] of found)
    if (from in ALLOWED_IMPORTS) faults.push(`${rule}: reports ${from}, which is allowed`);
}

/** A table without an owner, or an owner of a table that is gone, would be a rule that never bites. */
function checkTableOwners() {
  const schema = readFileSync(path.join(ROOT, 'libs/database/schema.sql'), 'utf8');
  const tables = [...schema.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm)].map(([, name]) => name);
  const owned = Object.values(TABLE_OWNERS).flat();
  for (const name of tables) if (!owned.includes(name)) faults.push(`${name}: no library owns this table`);
  for (const name of owned) if (!tables.includes(name)) faults.push(`${name}: there is no such table`);
}

function checkLint() {
  const ofConsole = CONFIG.overrides.flatMap(({ rules }) =>
    Object.keys(rules).filter((name) => name.startsWith('react/')),
  );
  const ofHouse = Object.keys(HOUSE_RULES).map((name) => `house/${name}`);
  demandSeeds([...Object.keys(PLAIN), ...ofHouse], FORBIDDEN_CODE);
  demandSeeds(Object.keys(TYPED), FORBIDDEN_BY_TYPES);
  demandSeeds(ofConsole, FORBIDDEN_IN_CONSOLE);
  const nameIn = (rule) => rule.replace(/\W+/g, '-');
  const inFolder = (seeds, folder, extension) =>
    Object.entries(seeds).map(([rule, text]) => ({
      rule,
      text,
      file: `${folder}/${nameIn(rule)}${extension}`,
    }));
  const seeds = [
    ...Object.entries(FORBIDDEN_CODE).flatMap(([rule, [file, ...forms]]) =>
      forms.map((text, i) => ({ rule, text, file: file.replace('seed', `seed-${nameIn(rule)}-${i}`) })),
    ),
    ...inFolder(FORBIDDEN_BY_TYPES, 'libs/jobs/src/typed', '.ts'),
    ...inFolder(FORBIDDEN_IN_CONSOLE, 'apps/console/src/typed', '.tsx'),
  ];
  for (const { file, text } of seeds) plant(file, text);
  plantAll(PERMITTED_CODE);
  const found = lint([...seeds.map(({ file }) => file), ...Object.keys(PERMITTED_CODE)]);
  for (const { rule, file, text } of seeds)
    if (!found.some((each) => each.file === file && each.rule === rule))
      faults.push(`${rule}: does not report ${text.slice(0, 100)}`);
  // Only our own rules: the scratch tree has no types of its packages, which the typed rules of others regret.
  for (const { rule, file } of found)
    if (file in PERMITTED_CODE && rule in FORBIDDEN_CODE)
      faults.push(`${rule}: reports ${file}, which is allowed`);
}

/** What the linter reports of these files: the rule and the file of each. */
function lint(files) {
  const cli = path.join(ROOT, 'node_modules/oxlint/bin/oxlint');
  // The folders of its overrides are those beside it.
  plant('oxlint.json', JSON.stringify(CONFIG));
  const run = spawnSync(process.execPath, [cli, '--config', 'oxlint.json', '--format', 'json', ...files], {
    cwd: dir,
    encoding: 'utf8',
    env: { ...process.env, OXLINT_TSGOLINT_PATH: TSGOLINT },
    maxBuffer: 100_000_000,
  });
  if (!run.stdout.startsWith('{')) throw new Error(`oxlint did not run: ${run.stdout}${run.stderr}`);
  return JSON.parse(run.stdout).diagnostics.map(({ code = '', filename }) => {
    // `react-hooks(refs)` is configured as `react/refs`.
    const [, plugin, name] = /^([\w-]+?)(?:-hooks)?\((.+)\)$/.exec(code) ?? [];
    return { rule: `${plugin}/${name}`, file: filename };
  });
}
