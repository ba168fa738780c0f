import type { FiltersEngine } from '@ghostery/adblocker';
import { getDomain } from 'tldts';
import type { FilterKind, PageFeatures } from '../filter-set.js';

const HIDE = 'display: none !important;';

/** The style sheets that hide what the lists hide. */
export class PageStyles {
  constructor(
    private readonly engines: Readonly<Record<FilterKind, readonly FiltersEngine[]>>,
    exceptions: FiltersEngine,
  ) {
    // What a list shows again is shown again whichever list hides it.
    for (const engine of Object.values(engines).flat()) {
      engine.cosmetics.unhideIndex = exceptions.cosmetics.unhideIndex;
      engine.hideExceptions = exceptions.hideExceptions;
    }
  }

  stylesFor(url: string, kinds: readonly FilterKind[], features?: PageFeatures): string {
    const hostname = hostOfUrl(url);
    if (hostname === '') return '';
    const page = { url, hostname, domain: getDomain(hostname) ?? '' };
    const engines = kinds.flatMap((kind) => this.engines[kind]);
    const sheets = engines.map((engine) => sheetOf(engine, page, features));
    return sheets.filter((sheet) => sheet !== '').join('\n');
  }
}

interface Page {
  readonly url: string;
  readonly hostname: string;
  readonly domain: string;
}

function sheetOf(engine: FiltersEngine, page: Page, features: PageFeatures | undefined): string {
  const isGeneric = features !== undefined;
  const { styles } = engine.getCosmeticsFilters({
    ...page,
    classes: [...(features?.classes ?? [])],
    ids: [...(features?.ids ?? [])],
    hrefs: [...(features?.hrefs ?? [])],
    getBaseRules: isGeneric,
    getRulesFromDOM: isGeneric,
    getInjectionRules: false,
    getExtendedRules: false,
    hidingStyle: HIDE,
  });
  return styles;
}

/** The host of a URL in lower case; '' when it has none. */
function hostOfUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
