import type { FramingOptions } from '../../options/framing.js';
import type { PageChangesOptions } from '../../options/page-changes.js';
import type { Visit } from '../../pipeline/family.js';
import type { Rendered } from '../../pipeline/format.js';
import { findMainContent } from './main-content.js';
import type { Layout } from './bounded-layout.js';
import { readPage } from './page-walk.js';

export type ContentOptions = Pick<FramingOptions, 'selector'> &
  Pick<PageChangesOptions, 'mask_selectors'> & {
    readonly content: 'main' | 'full';
  };

interface ContentFormat {
  readonly maxBytes: number;
  readonly hasMarkup: boolean;
  readonly newLayout: () => Layout;
}

/**
 * Reads what `selector` and `content` name: the element, the main content or the whole page.
 *
 * @throws AppError `selector_not_found`, `resource_limit`
 */
export async function readContent(
  visit: Visit,
  { selector, content, mask_selectors: masks }: ContentOptions,
  { newLayout, ...format }: ContentFormat,
): Promise<Rendered> {
  const read = (start: 'main' | 'page' | { selector: string }): Promise<Buffer> =>
    readPage(visit, newLayout(), { ...format, start, masks });
  if (selector !== undefined) return { bytes: await read({ selector }), facts: { content: null } };
  if (content === 'main' && (await findMainContent(visit, masks))) {
    const bytes = await read('main');
    // The page may have replaced its content in the meantime.
    if (bytes.length > 0) return { bytes, facts: { content: 'main' } };
  }
  return { bytes: await read('page'), facts: { content: 'full' } };
}
