import { ARRIVALS } from './arrivals.js';
import { Draft, type LoadingPage } from './draft.js';
import { DRAWINGS } from './drawings.js';
import { ENDLESS } from './endless.js';
import { SKELETONS } from './skeletons.js';
import { SPINNERS } from './spinners.js';
import { STREAMS } from './streams.js';
import { TEXTS } from './texts.js';

type Kind = (draft: Draft) => LoadingPage;

/** Pages whose content comes after their load, by the way in which it comes. */
export const LATE: Readonly<Record<string, Kind>> = {
  ...SKELETONS,
  ...SPINNERS,
  ...STREAMS,
  ...TEXTS,
  ...ARRIVALS,
  ...DRAWINGS,
};

/** Pages that are complete when they have loaded, by what goes on in them. */
export const COMPLETE: Readonly<Record<string, Kind>> = ENDLESS;

/** The page of a kind. The same seed gives the same page; another one varies its names, times, sizes and structure. */
export function drawPage(kind: string, seed: number): LoadingPage {
  const draw = LATE[kind] ?? COMPLETE[kind];
  if (!draw) throw new RangeError(`There are no pages of the kind ${kind}`);
  return draw(new Draft(seed));
}
