import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './data-folder.mjs';
import { provideFetched } from './fetched-package.mjs';

// The rule sets of AdGuard's package that the service uses, which are licensed under GPL-3.0. Of 120 MB of compiled rules for
// browsers the service needs 10 MB: the text of the lists that are in them.

const PACKAGE = '@adguard/dnr-rulesets';

/** @type {{ number: number, kind: string }[]} */
const RULE_SETS = JSON.parse(readFileSync(path.join(root, 'libs/filters/lists/rule-sets.json'), 'utf8'));

/** @param {number} number */
const compiledFile = (number) => `dist/filters/declarative/ruleset_${number}/ruleset_${number}.json`;

/**
 * Fetches the texts of the rule sets once.
 *
 * @returns {Promise<string>} the folder that has them as `<number>.txt`, with the manifest and the licence of the package
 */
export function provideRuleSets() {
  const files = new Set(['package.json', 'LICENSE', ...RULE_SETS.map(({ number }) => compiledFile(number))]);
  return provideFetched({ name: PACKAGE, needs: (file) => files.has(file), finish: keepTexts });
}

/** @param {string} folder */
async function keepTexts(folder) {
  for (const { number } of RULE_SETS) {
    /** @type {{ metadata: { rawFilterList: string } }[]} */
    const [ruleSet] = JSON.parse(readFileSync(path.join(folder, compiledFile(number)), 'utf8'));
    if (ruleSet === undefined) throw new Error(`${PACKAGE} has no text of rule set ${number}`);
    writeFileSync(path.join(folder, `${number}.txt`), ruleSet.metadata.rawFilterList);
  }
  rmSync(path.join(folder, 'dist'), { recursive: true });
}
