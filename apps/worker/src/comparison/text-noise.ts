/**
 * What the search for the smallest difference may cost, which grows with the square of the difference. Texts that differ more
 * have a coarser answer.
 */
export const SEARCH_LIMITS = { maxEditLength: 2_000, timeout: 400 } as const;

/**
 * The lines as they are now, except those that differ from a capture of the same moment: these are as they were before. What
 * then still differs from before is a change, and not noise.
 */
export async function linesWithoutNoise(
  before: readonly string[],
  twin: readonly string[],
  now: readonly string[],
): Promise<readonly string[]> {
  const { diffArrays } = await import('diff');
  const fromTwin = diffArrays([...twin], [...now], SEARCH_LIMITS);
  const fromBefore = diffArrays([...before], [...now], SEARCH_LIMITS);
  if (!fromTwin || !fromBefore) return now;
  const isNoise = noisyLines(fromTwin);
  const kept: string[] = [];
  let at = 0;
  for (let i = 0; i < fromBefore.length; i += 1) {
    const part = fromBefore[i];
    if (!part) break;
    if (!part.added && !part.removed) {
      kept.push(...part.value);
      at += part.count;
      continue;
    }
    const next = fromBefore[i + 1];
    const other = next && (next.added || next.removed) ? next : undefined;
    if (other) i += 1;
    const [removed, added] = part.removed ? [part, other] : [other, part];
    kept.push(...settled(removed?.value ?? [], added?.value ?? [], (line) => isNoise.has(at + line)));
    at += added?.count ?? 0;
  }
  return kept;
}

/** The lines at one place: those of now, or of before where they are noise. */
function settled(
  old: readonly string[],
  now: readonly string[],
  isNoise: (line: number) => boolean,
): readonly string[] {
  if (old.length === now.length) return now.map((line, i) => (isNoise(i) ? (old[i] ?? line) : line));
  if (now.length === 0) return isNoise(0) ? old : [];
  return now.every((_, i) => isNoise(i)) ? old : now;
}

interface Part {
  readonly count: number;
  readonly added: boolean;
  readonly removed: boolean;
}

/** The indexes of lines that the other text does not have, and of those before which it has others. */
function noisyLines(parts: readonly Part[]): ReadonlySet<number> {
  const noisy = new Set<number>();
  let at = 0;
  for (const { count, added, removed } of parts) {
    if (removed) noisy.add(at);
    if (added) for (let i = 0; i < count; i += 1) noisy.add(at + i);
    if (!removed) at += count;
  }
  return noisy;
}
