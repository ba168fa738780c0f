import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fetchedFolder } from '../../apps/launcher/src/fetched-package.mjs';

/** The text of a rule set of AdGuard, which the build of these tests has fetched. */
export const textOfRuleSet = (number: number): string =>
  readFileSync(path.join(fetchedFolder('@adguard/dnr-rulesets'), `${number}.txt`), 'utf8');
