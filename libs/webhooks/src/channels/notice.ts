/** A picture that a message shows small, and that opens in its full size. */
export interface NoticePicture {
  readonly name: string;
  /** A JPEG of a few hundred pixels, which everybody can load. */
  readonly smallUrl: string;
  readonly url: string;
}

/** An event in words. Its texts come from pages that nobody trusts: each channel writes them so that they are only text. */
export interface Notice {
  /** What happened, in one line. */
  readonly title: string;
  /** How it stands: something to look at, something that is broken, or the end of that. */
  readonly mood: 'news' | 'bad' | 'good';
  /** The page that it is about. */
  readonly url: string | null;
  readonly lines: readonly string[];
  readonly pictures: readonly NoticePicture[];
}

/** Slack refuses headers of more than 150 characters, and Discord titles of more than 256, in which a sign may take two. */
const MAX_TITLE = 120;
/** Slack takes 3,000 characters, Discord 4,096, in which a sign may take two, and Teams 28 KB with all that is around it. */
const MAX_TEXT = 1_900;
/** Discord refuses longer ones. */
const MAX_URL = 2_000;

/** The title as every channel takes it: one line, not longer than the shortest limit. */
export function titleOf({ title }: Notice): string {
  return cut(title.replace(/\s+/g, ' ').trim(), MAX_TITLE);
}

/** The page, if every channel takes its address. */
export function pageOf({ url }: Notice): string | null {
  return url !== null && url.length <= MAX_URL ? url : null;
}

/** The lines, as many as every channel takes. */
export function linesOf({ lines }: Notice): string[] {
  const shown: string[] = [];
  let room = MAX_TEXT;
  for (const line of lines) {
    if (line.length > room) return [...shown, '…'];
    room -= line.length + 1;
    shown.push(line);
  }
  return shown;
}

/** The text in at most `length` characters; a character of two code units stays whole. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
