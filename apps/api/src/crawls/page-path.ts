import { withoutDevice } from '@capture-service/client';

/** Most file systems take names of 255 bytes; a number and an extension are added to it. */
const MAX_NAME = 150;

/** Folders in folders: unpacking programs have limits for the whole path. */
const MAX_FOLDERS = 16;

/** What servers call the document of a folder, and what they call documents. */
const INDEX = /^index$/i;
const DOCUMENT = /\.(?:html?|xhtml|php|aspx?|jsp)$/i;

/** Paths of files in an archive that are made of the addresses of pages; no two are the same. */
export class PagePaths {
  private readonly used = new Set<string>();

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
    // Some file systems do not tell small letters from capitals.
    const taken = this.used.has(path.toLowerCase());
    const own = taken ? `${path}-${row}` : path;
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
