// `node dist/scripts/filter-lists.js <folder>` compiles the rule sets of AdGuard that the folder holds, and our own rules, into
// dist/filter-lists, which the worker reads. The build runs it.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundleLists, type FilterKind, type ListToBundle } from '@app/filters';

const DIST = path.resolve(import.meta.dirname, '..');
const [RULE_SETS = ''] = process.argv.slice(2);
const OWN_LISTS = path.resolve(DIST, '../libs/filters/lists');

const NOTICE = `The lists compiled into this folder are works of others; manifest.json names them and their licences.

Those of AdGuard are licensed under the GNU General Public License, version 3: https://www.gnu.org/licenses/gpl-3.0.html.
They are data, which the service reads and is no part of. Their text, which is their source, is in the npm package
@adguard/dnr-rulesets of the version that manifest.json names: https://www.npmjs.com/package/@adguard/dnr-rulesets.
`;

const { name, version } = JSON.parse(await readFile(path.join(RULE_SETS, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
};
const ownChats = await readFile(path.join(OWN_LISTS, 'chats.txt'), 'utf8');
const folder = path.join(DIST, 'filter-lists');
const ownDigest = createHash('sha256').update(ownChats).digest('hex');
const sources = [`${name}@${version}`, `libs/filters/lists/chats.txt ${ownDigest}`];
const hasCompiled = await bundleLists({ folder, sources, read });
if (hasCompiled) await writeFile(path.join(folder, 'NOTICE'), NOTICE);

async function read(): Promise<ListToBundle[]> {
  const lists: ListToBundle[] = [{ kind: 'chats', text: ownChats, licence: 'Apache-2.0' }];
  const ruleSets = JSON.parse(await readFile(path.join(OWN_LISTS, 'rule-sets.json'), 'utf8')) as {
    readonly number: number;
    readonly kind: FilterKind;
  }[];
  for (const { number, kind } of ruleSets) {
    const text = await readFile(path.join(RULE_SETS, `${number}.txt`), 'utf8');
    lists.push({ kind, text, licence: 'GPL-3.0-only' });
  }
  return lists;
}
