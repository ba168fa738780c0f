import { useSearch } from 'wouter/use-browser-location';

/**
 * The query of the address for wouter, which decodes it before URLSearchParams does. Escaped once more it comes out as
 * it is in the address; otherwise a %, & or + in a value would be lost.
 */
export function useRawSearch(): string {
  return useSearch().replaceAll('%', '%25');
}
