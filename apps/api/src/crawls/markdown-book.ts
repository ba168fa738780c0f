import type { CrawlPage } from '@app/crawls';

/** A title of a page is a text of strangers, and no markup. */
function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_[\]<>#|]/g, '\\$&');
}

function nameOf({ title, url }: CrawlPage): string {
  return plain(title === null || title.trim() === '' ? url : title);
}

function anchorOf({ number }: CrawlPage): string {
  return `page-${number}`;
}

/** The line of a page in the table of contents, indented by the folders of its path. */
export function lineOfContents(page: CrawlPage): string {
  const folders = new URL(page.url).pathname.split('/').length - 2;
  return `${'  '.repeat(Math.min(Math.max(folders, 0), 6))}- [${nameOf(page)}](#${anchorOf(page)})\n`;
}

/** What stands above the text of a page. */
export function headingOf(page: CrawlPage): string {
  return `\n\n<a id="${anchorOf(page)}"></a>\n\n---\n\n*${nameOf(page)}*: <${page.url.replace(/[<>]/g, encodeURIComponent)}>\n\n`;
}
