export const REFUSED: readonly (readonly [phrase: RegExp, instead: string])[];
export function refusedIn(text: string): string[];
export function proseOf(comment: string): string;
