import leven from 'leven';

/** A word with as many changed letters is taken for another word. */
const MAX_DISTANCE = 2;

/** The known word that `word` was probably meant to be; undefined when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((name) => ({ name, distance: leven(word, name) }))
    .filter(({ name, distance }) => distance <= Math.min(MAX_DISTANCE, name.length / 2))
    .sort((a, b) => a.distance - b.distance);
  return best?.name;
}
