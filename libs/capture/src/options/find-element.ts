import type { Bare } from '../pipeline/in-page.js';

/** Runs in the page: whether there was an element to scroll to. A selector that the browser does not know matches nothing. */
export function scrollIntoView(selector: string, bare: Bare): boolean {
  try {
    const element = bare(document).querySelector(selector);
    if (element) bare(element).scrollIntoView({ block: 'start', inline: 'nearest', behavior: 'instant' });
    return element !== null;
  } catch {
    return false;
  }
}
