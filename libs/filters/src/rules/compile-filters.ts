import { type CosmeticFilter, ENGINE_VERSION, FiltersEngine, type NetworkFilter } from '@ghostery/adblocker';
import { FILTER_KINDS, type FilterKind } from '../filter-set.js';
import { acceptRules } from './accepted-rules.js';

/** Version of the compiled form: of the engine, and of what is made of it here. Compiled lists of another are unreadable. */
export const COMPILED_VERSION = `${ENGINE_VERSION}.1`;

/** The engines of the lists: one of each kind, and one with what makes exceptions of the rules of all kinds. */
export const PARTS = [...FILTER_KINDS, 'exceptions'] as const;
export type Part = (typeof PARTS)[number];

export interface CompiledFilters {
  readonly parts: Readonly<Record<Part, Uint8Array>>;
  /** Rules that are applied, exceptions included, by the kind of their list. */
  readonly rules: Readonly<Record<FilterKind, number>>;
  /** Lines that look like rules and are not applied. */
  readonly skipped: number;
}

/** The texts of filter lists by kind; several lists of a kind are one text. */
export type FilterTexts = Partial<Record<FilterKind, string>>;

/** Compiles lists to the engine's compact form. It takes a second for the lists that come with the service. */
export function compileFilters(texts: FilterTexts): CompiledFilters {
  const accepted = FILTER_KINDS.map((kind) => ({ kind, ...acceptRules(texts[kind] ?? '') }));
  const network = accepted.flatMap((list) => list.network);
  const disabled = new Set(network.filter((f) => f.isBadFilter()).map((f) => f.getIdWithoutBadFilter()));
  const isEnabled = (filter: NetworkFilter) => !filter.isBadFilter() && !disabled.has(filter.getId());
  const parts = Object.fromEntries(
    accepted.map((list) => [
      list.kind,
      engineOf(
        list.network.filter((filter) => isEnabled(filter) && !makesException(filter)),
        list.cosmetic.filter((filter) => !filter.isUnhide()),
      ),
    ]),
  ) as Record<Part, Uint8Array>;
  parts.exceptions = engineOf(
    network.filter((filter) => isEnabled(filter) && makesException(filter)),
    accepted.flatMap((list) => list.cosmetic).filter((filter) => filter.isUnhide()),
  );
  const rules = accepted.map((list) => [list.kind, list.network.length + list.cosmetic.length]);
  return {
    parts,
    rules: Object.fromEntries(rules) as Record<FilterKind, number>,
    skipped: accepted.reduce((sum, list) => sum + list.skipped, 0),
  };
}

/** `$generichide` and its like stand among exceptions in all lists, as rules against them do. */
const makesException = (filter: NetworkFilter) =>
  filter.isException() || filter.isGenericHide() || filter.isSpecificHide();

function engineOf(networkFilters: NetworkFilter[], cosmeticFilters: CosmeticFilter[]): Uint8Array {
  // Optimizations merge patterns into regular expressions of the engine's own, which are not linear.
  return new FiltersEngine({
    networkFilters,
    cosmeticFilters,
    config: { enableOptimizations: false },
  }).serialize();
}
