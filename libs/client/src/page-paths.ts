import { withoutDevice } from './file-names.js';

/** Most file systems take names of 255 bytes; a number and an extension are added to it. */
const MAX_NAME = 150;

/** Folders in folders: unpacking programs have limits for the whole path. */
const MAX_FOLDERS = 16;

/** What servers call the document of a folder, and what they call documents. */
const INDEX = /^index$/i;
const DOCUMENT = /\.(?:html?|xhtml|php|aspx?|jsp)$/i;

/**
 * Paths of files that are made of the addresses of pages; no two are the same. The path of a page depends on those before it: the
 * archive of a crawl and a client that saves its files one by one give paths to all pages, in the order of their numbers.
 */
export class PagePaths {
  private readonly used = new Set<string>();

  /** @param withHost whether the host is the first folder, because the pages are of several */
  constructor(private readonly withHost: boolean) {}

  /** `guide/install` for `https://docs.example.com/guide/install.html`, without an extension. */
  pathOf({ url, row }: { readonly url: string; readonly row: number }): string {
    const { hostname, pathname, search } = new URL(url);
    const parts = pathname.split('/').slice(1).map(decoded);
    const last = (parts.pop() ?? '').replace(DOCUMENT, '');
    const query = search === '' ? '' : `_${decoded(search.slice(1))}`;
    const name = `${last === '' || INDEX.test(last) ? 'index' : last}${query}`;
    const folders = (this.withHost ? [hostname, ...parts] : parts)
      .filter((part) => part !== '')
      .slice(0, MAX_FOLDERS);
    const path = [...folders, name].map(safeName).join('/');
    let own = path;
    // Some file systems do not tell small letters from capitals.
    while (this.used.has(own.toLowerCase())) own = `${own}-${row}`;
    this.used.add(own.toLowerCase());
    return own;
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function safeName(part: string): string {
  const plain = part
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}._=&-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '');
  const short = [...plain].slice(0, MAX_NAME).join('');
  return withoutDevice(short === '' ? 'page' : short);
}
