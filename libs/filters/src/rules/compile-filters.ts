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
  /** Numbers of rules that block or hide. */
  readonly rules: Readonly<Record<FilterKind, number>>;
  /** Ids of the rules that a `$badfilter` turns off. */
  readonly disabled: readonly number[];
}

/** The texts of filter lists by kind. */
export type FilterTexts = Partial<Record<FilterKind, string>>;

export interface ListText {
  readonly kind: FilterKind;
  readonly text: string;
}

/** Numbers of rules that are applied, and of lines that look like rules and are not. */
export interface RuleCounts {
  readonly rules: number;
  readonly skipped: number;
}

export interface CompiledLists {
  readonly compiled: CompiledFilters;
  /** One entry per list, in the order of the lists. */
  readonly counts: readonly RuleCounts[];
}

export function compileFilters(texts: FilterTexts): CompiledFilters {
  return compileLists(FILTER_KINDS.map((kind) => ({ kind, text: texts[kind] ?? '' }))).compiled;
}

/** Compiles lists to the engine's compact form. Those that come with the service take two seconds. */
export function compileLists(lists: readonly ListText[]): CompiledLists {
  const accepted = lists.map(({ kind, text }) => ({ kind, ...acceptRules(text) }));
  const network = accepted.flatMap((list) => list.network);
  const isRule = (filter: NetworkFilter) => !filter.isBadFilter();
  const byKind = FILTER_KINDS.map((kind) => {
    const ofKind = accepted.filter((list) => list.kind === kind);
    const blocking = ofKind.flatMap((list) => list.network).filter((f) => isRule(f) && !makesException(f));
    const hiding = ofKind.flatMap((list) => list.cosmetic).filter((filter) => !filter.isUnhide());
    return { kind, rules: blocking.length + hiding.length, engine: engineOf(blocking, hiding) };
  });
  const exceptions = engineOf(
    network.filter((filter) => isRule(filter) && makesException(filter)),
    accepted.flatMap((list) => list.cosmetic).filter((filter) => filter.isUnhide()),
  );
  const parts = [...byKind.map(({ kind, engine }) => [kind, engine]), ['exceptions', exceptions]];
  return {
    compiled: {
      parts: Object.fromEntries(parts) as Record<Part, Uint8Array>,
      rules: Object.fromEntries(byKind.map(({ kind, rules }) => [kind, rules])) as Record<FilterKind, number>,
      disabled: network.filter((filter) => !isRule(filter)).map((filter) => filter.getIdWithoutBadFilter()),
    },
    counts: accepted.map((list) => ({
      rules: list.network.length + list.cosmetic.length,
      skipped: list.skipped,
    })),
  };
}

/** `$generichide` and similar rules stand among the exceptions, as the rules against them do. */
const makesException = (filter: NetworkFilter) =>
  filter.isException() || filter.isGenericHide() || filter.isSpecificHide();

function engineOf(networkFilters: NetworkFilter[], cosmeticFilters: CosmeticFilter[]): Uint8Array {
  // Optimizations merge patterns into regular expressions of the engine's own, which are not linear.
  const config = { enableOptimizations: false };
  return new FiltersEngine({ networkFilters, cosmeticFilters, config }).serialize();
}
