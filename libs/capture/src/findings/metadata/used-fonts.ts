import type { ReadLimits } from './page-collector.js';

/** Runs in the page: the name of a font family, without quotes. */
export function familyName(family: string): string {
  return family.trim().replace(/^(["'])(.*)\1$/, '$2');
}

/** Runs in the page: whether the system has a family. One that it lacks has the widths of whatever follows it. */
export function isInstalled(family: string, context: OffscreenCanvasRenderingContext2D): boolean {
  const widthOf = (families: string): number => {
    context.font = `72px ${families}`;
    return context.measureText('mmmmmmmmmmlli W@&').width;
  };
  return ['monospace', 'serif'].some((other) => widthOf(`${family}, ${other}`) !== widthOf(other));
}

/**
 * Runs in the page: the font families that texts have, the most frequent first: of each list of a style sheet the first family
 * that the page has loaded, or that the system has, or a generic one.
 */
export function usedFonts(
  families: ReadonlyMap<string, number>,
  faces: FontFaceSet,
  { limits, cut, until }: { limits: ReadLimits; cut: Set<string>; until: number },
): string[] {
  const declared = new Map<string, boolean>();
  for (const { family, status } of [...faces].slice(0, limits.items)) {
    const name = familyName(family).toLowerCase();
    declared.set(name, declared.get(name) === true || status === 'loaded');
  }
  const generic =
    /^(?:serif|sans-serif|monospace|cursive|fantasy|math|emoji|fangsong|system-ui|ui-\S+|-webkit-standard|-webkit-body)$/i;
  // Nothing is drawn, so that it needs no memory.
  const context = new OffscreenCanvas(1, 1).getContext('2d');
  const known = new Map<string, boolean>();
  const isUsed = (family: string): boolean => {
    const name = familyName(family).toLowerCase();
    const isKnown = known.get(name);
    if (isKnown !== undefined) return isKnown;
    const isLate = performance.now() > until;
    if (isLate) cut.add('fonts');
    // Measuring would load a font of the page that it has not used.
    const isAvailable =
      declared.get(name) ??
      (generic.test(family.trim()) || (!isLate && context !== null && isInstalled(family, context)));
    known.set(name, isAvailable);
    return isAvailable;
  };
  const used = new Map<string, { readonly name: string; characters: number }>();
  for (const [list, characters] of families) {
    const family = list.match(/(?:"[^"]*"|'[^']*'|[^,"'])+/g)?.find(isUsed);
    if (family === undefined) continue;
    const name = familyName(family);
    const entry = used.get(name.toLowerCase()) ?? { name, characters: 0 };
    entry.characters += characters;
    used.set(name.toLowerCase(), entry);
  }
  return [...used.values()].sort((a, b) => b.characters - a.characters).map(({ name }) => name);
}
