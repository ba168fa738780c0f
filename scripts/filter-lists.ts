// Compiles the filter lists of the development dependencies into dist/filter-lists, which the worker reads. The build runs it.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleLists, type FilterKind, type ListToBundle, readRuleSet } from '@app/filters';

const DIST = path.resolve(import.meta.dirname, '..');
const PACKAGE = path.resolve(DIST, '../node_modules/@adguard/dnr-rulesets');
const OWN_RULES = path.resolve(DIST, '../libs/filters/lists');

/** The rule sets of AdGuard's package that the service uses. */
const RULE_SETS = {
  2: 'ads', // Base: EasyList and AdGuard's own
  3: 'trackers',
  22: 'chats', // Widgets
  4: 'annoyances', // Social media
  19: 'annoyances', // Popups
  20: 'annoyances', // Banners of mobile apps
  21: 'annoyances', // Others
  18: 'cookies',
} as const satisfies Record<number, FilterKind>;

const NOTICE = `The lists compiled into this folder are works of others; manifest.json names them and their licences.

Those of AdGuard are licensed under the GNU General Public License, version 3: https://www.gnu.org/licenses/gpl-3.0.html.
They are data, which the service reads and is no part of. Their text, which is their source, is in the npm package
@adguard/dnr-rulesets of the version that manifest.json names: https://www.npmjs.com/package/@adguard/dnr-rulesets.
`;

const { name, version } = JSON.parse(await readFile(path.join(PACKAGE, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
};
const ownChats = await readFile(path.join(OWN_RULES, 'chats.txt'), 'utf8');
const folder = path.join(DIST, 'filter-lists');
const ownDigest = createHash('sha256').update(ownChats).digest('hex');
const sources = [`${name}@${version}`, `libs/filters/lists/chats.txt ${ownDigest}`];
const hasCompiled = await bundleLists({ folder, sources, read });
if (hasCompiled) await writeFile(path.join(folder, 'NOTICE'), NOTICE);

async function read(): Promise<ListToBundle[]> {
  const lists: ListToBundle[] = [{ kind: 'chats', text: ownChats, licence: 'Apache-2.0' }];
  for (const [number, kind] of Object.entries(RULE_SETS)) {
    const file = path.join(
      PACKAGE,
      'dist/filters/declarative',
      `ruleset_${number}`,
      `ruleset_${number}.json`,
    );
    lists.push({ kind, text: await readRuleSet(file), licence: 'GPL-3.0-only' });
  }
  return lists;
}
