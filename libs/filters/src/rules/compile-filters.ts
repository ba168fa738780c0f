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
  /** Number of rules that are applied, exceptions included, by the kind of their list. */
  readonly rules: Readonly<Record<FilterKind, number>>;
  /** Number of lines that look like rules and are not applied. */
  readonly skipped: number;
  /** Ids of the rules that a `$badfilter` turns off. */
  readonly disabled: readonly number[];
}

/** The texts of filter lists by kind; several lists of a kind are one text. */
export type FilterTexts = Partial<Record<FilterKind, string>>;

/** Compiles lists to the engine's compact form. The lists that come with the service take two seconds. */
export function compileFilters(texts: FilterTexts): CompiledFilters {
  const accepted = FILTER_KINDS.map((kind) => ({ kind, ...acceptRules(texts[kind] ?? '') }));
  const network = accepted.flatMap((list) => list.network);
  const isRule = (filter: NetworkFilter) => !filter.isBadFilter();
  const parts = Object.fromEntries(
    accepted.map((list) => [
      list.kind,
      engineOf(
        list.network.filter((filter) => isRule(filter) && !makesException(filter)),
        list.cosmetic.filter((filter) => !filter.isUnhide()),
      ),
    ]),
  ) as Record<Part, Uint8Array>;
  parts.exceptions = engineOf(
    network.filter((filter) => isRule(filter) && makesException(filter)),
    accepted.flatMap((list) => list.cosmetic).filter((filter) => filter.isUnhide()),
  );
  const rules = accepted.map((list) => [list.kind, list.network.length + list.cosmetic.length]);
  return {
    parts,
    rules: Object.fromEntries(rules) as Record<FilterKind, number>,
    skipped: accepted.reduce((sum, list) => sum + list.skipped, 0),
    disabled: network
      .filter((filter) => filter.isBadFilter())
      .map((filter) => filter.getIdWithoutBadFilter()),
  };
}

/** `$generichide` and its like stand among the exceptions, as the rules against them do. */
const makesException = (filter: NetworkFilter) =>
  filter.isException() || filter.isGenericHide() || filter.isSpecificHide();

function engineOf(networkFilters: NetworkFilter[], cosmeticFilters: CosmeticFilter[]): Uint8Array {
  // Optimizations merge patterns into regular expressions of the engine's own, which are not linear.
  const config = { enableOptimizations: false };
  return new FiltersEngine({ networkFilters, cosmeticFilters, config }).serialize();
}
