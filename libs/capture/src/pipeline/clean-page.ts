import { withTimeout } from '@app/kernel';
import type { Visit } from './family.js';
import { settlePage } from './settle-page.js';

/** Maximum time for a look at a page that may be busy. */
const LOOK_MS = 500;

/** Removes what has come over the page, as far as an option asks for it. Returns whether the page has changed. */
export async function cleanPage(visit: Visit): Promise<boolean> {
  let hasChanged = false;
  for (const cleaner of visit.cleaners) {
    if (await cleaner.clean()) hasChanged = true;
  }
  return hasChanged;
}

/**
 * Makes a file by `make`, and makes it again when something came over the page before it was finished: a dialog may open at any
 * moment. A page that puts up one after the other is not waited for.
 */
export async function makeClean<T>(visit: Visit, make: () => Promise<T>): Promise<T> {
  const file = await make();
  if (!(await hasMore(visit)) || !(await cleanPage(visit))) return file;
  await settlePage(visit, false);
  const again = await make();
  await hasMore(visit);
  return again;
}

async function hasMore({ cleaners }: Visit): Promise<boolean> {
  const looks = cleaners.map((cleaner) => withTimeout(cleaner.hasMore(), LOOK_MS, 'a look at the page'));
  // The file is there: a page that has become busy, or is gone, changes it no more.
  const answers = await Promise.all(looks.map((look) => look.catch(() => false)));
  return answers.includes(true);
}
