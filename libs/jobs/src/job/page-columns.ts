import { PAGE_LISTS, type PageLists, type PageMetadata } from '@app/capture';
import type { Job } from './job.entity.js';

type PageColumns = Required<Pick<Job, 'page' | 'pageLists'>>;

const NO_LISTS: PageLists = {
  icons: [],
  feeds: [],
  json_ld: [],
  headings: [],
  links: [],
  images: [],
  fonts: [],
};

/** What the page says about itself, as the table keeps it. */
export function splitPage(page: PageMetadata | null): PageColumns {
  if (!page) return { page: null, pageLists: null };
  const { icons, feeds, json_ld, headings, links, images, fonts, ...summary } = page;
  return { page: summary, pageLists: { icons, feeds, json_ld, headings, links, images, fonts } };
}

/**
 * What the page says about itself, with its fields in the order of the documentation. Where the lists have not been read they are
 * empty, and `truncated` names all of them.
 */
export function pageOf({ page, pageLists }: Partial<PageColumns>): PageMetadata | null {
  if (!page) return null;
  const { words, truncated, ...texts } = page;
  return {
    ...texts,
    ...(pageLists ?? NO_LISTS),
    words,
    truncated: pageLists ? truncated : [...new Set([...truncated, ...PAGE_LISTS])],
  };
}
