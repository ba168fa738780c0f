/**
 * Filters: the lists of advertisements, trackers, chats and annoyances; compiling, matching and updating them.
 * It knows nothing of browsers and captures.
 */
export {
  FILTER_KINDS,
  type FilteredRequest,
  type FilterKind,
  type FilterSet,
  type FilterVerdict,
  type PageFeatures,
  type RequestType,
} from './filter-set.js';
export { FiltersModule } from './filters.module.js';
export { bundleLists, type ListToBundle } from './lists/bundle-lists.js';
export { FilterListsService } from './lists/filter-lists.service.js';
export type { ListsState, ListState } from './lists/list-state.js';
export { compileFilters, type CompiledFilters, type FilterTexts } from './rules/compile-filters.js';
export { ListFilterSet } from './rules/list-filter-set.js';
