import { compileFilters, type FilterSet, type FilterTexts, ListFilterSet } from '@app/filters';

/** Filter lists with the rules of a test, by kind. */
export function filtersOf(texts: FilterTexts): FilterSet {
  return new ListFilterSet(compileFilters(texts));
}

const empty = filtersOf({});

/** For captures that are not about filter lists. */
export const noFilters = (): FilterSet => empty;
