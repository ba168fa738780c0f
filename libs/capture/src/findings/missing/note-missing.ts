import { boundText } from '@app/kernel';
import type { Visit } from '../../pipeline/family.js';
import { INSTALLED_FONTS } from './font-coverage.js';
import type { MissingProbe, MissingSigns, ShownPart } from './read-missing.js';
import { scriptOf } from './script-of.js';

/** Items of each list in the record. */
const MAX_ITEMS = 20;
/** Characters of a URL: lists of captures and webhooks have these, too. */
const MAX_URL = 500;

/** What the page is asked for, for a file that shows this part of it. */
export function missingProbe(part: ShownPart, isPrinted: boolean): MissingProbe {
  return { part, isPrinted, ...INSTALLED_FONTS.known() };
}

/** Notes for the record what the page shows nothing of: what it said itself, and what the network says about its frames. */
export function noteMissing(visit: Visit, signs: MissingSigns): void {
  const { facts } = visit;
  INSTALLED_FONTS.noteSigns(signs);
  const counts = new Map<string, number>();
  for (const { letter, count } of signs.letters) {
    const script = scriptOf(letter);
    counts.set(script, (counts.get(script) ?? 0) + count);
  }
  const addresses = (urls: readonly string[]): { url: string }[] =>
    [...new Set(urls.map(shownUrl))].slice(0, MAX_ITEMS).map((url) => ({ url }));
  facts.missing.glyphs = [...counts].slice(0, MAX_ITEMS).map(([script, count]) => ({ script, count }));
  facts.missing.images = addresses(signs.images.filter((url) => !isBlocked(visit, url)));
  facts.missing.frames = addresses(
    signs.frames.filter((frame) => isAbsent(visit, frame)).map(({ url }) => url),
  );
}

function isAbsent(visit: Visit, { url, isLazy }: MissingSigns['frames'][number]): boolean {
  if (!/^https?:/.test(url) || isBlocked(visit, url)) return false;
  const state = visit.frameLoads.stateOf(url);
  return state === undefined ? isLazy : state !== 'loaded';
}

/** An option blocks a request in the browser, or its host at the egress proxy. */
function isBlocked({ frameLoads, netErrorOf }: Visit, url: string): boolean {
  return frameLoads.isBlocked(url) || netErrorOf(url) === 'ERR_BLOCKED_BY_CLIENT';
}

/** A `data:` URL is cut after its media type. */
function shownUrl(url: string): string {
  const shown = url.startsWith('data:') ? url.split(/[;,]/, 1)[0] : url;
  return boundText('url', (shown ?? '').slice(0, MAX_URL));
}
