import type { PageCopy } from './page-copy.js';

/** Runs in the page: how much of the text of an element is in links, from 0 to 1. */
export function linkShare(copy: PageCopy, each: number): number {
  return (copy.linkChars[each] ?? 0) / Math.max(1, copy.chars[each] ?? 0);
}

/** What the search for the main content knows of the page. */
export interface Search {
  readonly copy: PageCopy;
  /** The element with the main content. */
  readonly root: number;
  /** What Defuddle keeps. */
  readonly kept: ReadonlySet<number>;
}

/**
 * Runs in the page: whether an element only surrounds the content: navigation, controls, links to other pages, comments.
 * Without a role or a name that says so, it needs the judgement of Defuddle and links.
 */
export function isPeripheral(search: Search, each: number): boolean {
  const { copy, root, kept } = search;
  const own = copy.copies[each] as Element;
  // The parts of an element that stays although Defuddle removed it are judged as if they were kept.
  const isRemoved = !kept.has(each) && kept.has(copy.parents[each] ?? -1);
  if (own.matches('h1 *, h2 *, h3 *, h4 *, h5 *, h6 *'))
    return own.matches('a') && /^[#¶§🔗\s]*$/u.test(own.textContent);
  // A logo or a row of icons.
  if (isRemoved && copy.chars[each] === 0 && own.querySelector('img') && !own.querySelector('img:not(a *)'))
    return true;
  const title = copy.copies[root]?.querySelector('h1') ?? null;
  if (own.matches('h1, h2, h3, pre, pre *, code, td, th, tr, li, p, math') || own.contains(title))
    return false;
  return isCalledPeripheral(search, each, isRemoved) ?? (isRemoved && looksPeripheral(search, each));
}

/** Runs in the page: what the role and the name of an element say about it; undefined when that is not enough to decide. */
export function isCalledPeripheral({ copy }: Search, each: number, isRemoved: boolean): boolean | undefined {
  const own = copy.copies[each] as Element;
  const names = namesOf(own);
  const links = linkShare(copy, each);
  const roles =
    'nav, dialog, [role=navigation], [role=search], [role=contentinfo], [role=dialog], [role=alertdialog], [role=menu], [role=menubar], [role=toolbar], [role=tablist], [role=listbox]';
  const navigation =
    /(^|[\s_-])(nav(bar|header|footer|igation)?|docnav|breadcrumbs?|pagination|pager|skip-?(link|nav|to))([\s_-]|$)/i;
  const company =
    /(^|[\s_-])(share|sharing|social|comments?|respond|newsletter|subscribe|advert|ads?|cookies?|related|recommend(ed|ations)?|promo|sponsor(ed)?)([\s_-]|$)/i;
  const aside =
    /nav|menu|crumb|footer|popular|trending|sidebar|widget|toolbar|signup|login|banner|copyright|author|bio|teaser/i;
  if (own.matches(roles) || navigation.test(names)) return true;
  if (own.matches('footer') && !own.parentElement?.closest('article, section, blockquote, figure'))
    return true;
  if (own.matches('button, [role=button]')) return isRemoved && !own.closest('summary, p, li, td');
  if (company.test(names)) return isRemoved || links > 0.3;
  if (isRemoved && /comment(?!ary)/i.test(names)) return true;
  if (own.querySelector('pre, math')) return false;
  const isList = own.querySelector('li, img, article') !== null;
  // A box of the page itself may be named so as well, when it says something.
  if (aside.test(names) && links > 0.3)
    return isList || own.querySelectorAll('a').length > 2 || (isRemoved && links > 0.8);
  return /toc|contents/i.test(names) ? false : undefined;
}

/** Runs in the page: whether an element that Defuddle removes leads to other pages, or stands beside the text. */
export function looksPeripheral({ copy, root, kept }: Search, each: number): boolean {
  const own = copy.copies[each] as Element;
  const note = /note|tip|warn|caution|important|callout|admonition|hint|info|danger|example|pull/i;
  if (own.matches('aside, footer') && !note.test(namesOf(own))) return true;
  // On a page of teasers, all of them are content.
  if ((copy.prose[root] ?? 0) < (copy.linkChars[each] ?? 0)) return false;
  // Links of a sentence, or to places in the page, are content.
  const inPage = own.querySelectorAll('a[href*="#"]').length * 2 > own.querySelectorAll('a').length;
  if (inPage) return false;
  // One of several sections of the text may be a list of links.
  const others = (copy.children[copy.parents[each] ?? -1] ?? []).filter((other) => other !== each);
  const isBox = own.matches('div, section, ul, ol, dl, header, form, figure');
  if (!isBox || others.some((other) => kept.has(other) && kindOf(copy, other) === kindOf(copy, each)))
    return false;
  const isBeside = others.some((other) => (copy.prose[other] ?? 0) * 5 > (copy.prose[root] ?? 0) * 3);
  return linkShare(copy, each) > 0.5 || (isBeside && !own.querySelector('table'));
}

/**
 * Runs in the page: whether an element is a list of teasers beside an article: of other pages, each announced by a headline or a
 * picture that leads there.
 */
export function isTeaserList({ copy, root }: Search, each: number): boolean {
  const ARTICLE = 1_000;
  if ((copy.prose[root] ?? 0) - (copy.prose[each] ?? 0) < ARTICLE) return false;
  const parts = (copy.children[each] ?? []).filter((part) => (copy.chars[part] ?? 0) > 0);
  const teasers = parts.filter((part) => isTeaser(copy, part));
  const chars = teasers.reduce((sum, part) => sum + (copy.chars[part] ?? 0), 0);
  return teasers.length >= 3 && chars * 5 >= (copy.chars[each] ?? 0) * 3;
}

/** Runs in the page: whether an element announces another page, by a headline or a picture that leads there. */
export function isTeaser(copy: PageCopy, each: number): boolean {
  const MIN_HEADLINE = 15;
  const MAX_CHARS = 600;
  const own = copy.copies[each] as Element;
  if ((copy.linkChars[each] ?? 0) < MIN_HEADLINE || (copy.chars[each] ?? 0) > MAX_CHARS) return false;
  if (own.querySelector('pre, table, h1')) return false;
  const around = own.closest('a[href]');
  const links = around ? [around] : [...own.querySelectorAll('a[href]:not([href^="#"])')];
  const announced = links.filter(
    (link) => link.querySelector('img, h2, h3, h4, h5, h6') ?? link.closest('h2, h3, h4, h5, h6'),
  );
  const pages = new Set(announced.map((link) => link.getAttribute('href')));
  return pages.size === 1 || pages.size === 2;
}

/** Runs in the page: the name and the first classes of an element; those of a list are the same. */
export function kindOf(copy: PageCopy, each: number): string {
  const own = copy.copies[each] as Element;
  return own.classList.length === 0 && !own.matches('article, section')
    ? `${each}`
    : `${own.localName} ${[...own.classList].slice(0, 2).join(' ')}`;
}

/** Runs in the page: the names that an author gave an element. */
export function namesOf(own: Element): string {
  return ['class', 'id', 'data-component'].map((name) => own.getAttribute(name) ?? '').join(' ');
}

/** Runs in the page: whether the role or the name of an element says that it surrounds the content, or follows it. */
export function isNamedPeriphery(own: Element): boolean {
  const named =
    /(^|[\s_-])(nav(bar|header|footer|igation)?|breadcrumbs?|pagination|comments?(list)?|disqus|respond|replies|related|recommend(ed|ations)?|sidebar|footer|newsletter|subscribe|cookies?|adverts?)([\s_-]|$)/i;
  return (
    own.matches(
      'nav, footer, dialog, [role=navigation], [role=dialog], [role=contentinfo], [role=complementary]',
    ) || named.test(namesOf(own))
  );
}

/** Runs in the page: the element around several that are alike, such as posts of a thread, where `root` is one of them. */
export function withSiblings(copy: PageCopy, root: number): number {
  const parent = copy.parents[root] ?? -1;
  const own = copy.copies[root] as Element;
  if (parent < 0 || (own.classList.length === 0 && own.localName !== 'article')) return root;
  const alike = (copy.children[parent] ?? []).filter((each) => kindOf(copy, each) === kindOf(copy, root));
  const chars = alike.reduce((sum, each) => sum + (copy.chars[each] ?? 0), 0);
  return chars >= 1.3 * (copy.chars[root] ?? 0) ? parent : root;
}

/**
 * Runs in the page: the element with the main content and its title. Many pages have the title before the element that holds
 * the text; what else is around it is `aside`.
 */
export function withTitle(copy: PageCopy, root: number): { root: number; aside: readonly number[] } {
  const MAX_CLIMB = 5;
  const holdsTitle = (each: number): boolean => copy.copies[each]?.querySelector('h1') != null;
  if (copy.copies[root]?.matches('h1') || holdsTitle(root)) return { root, aside: [] };
  const aside: number[] = [];
  for (let at = root, climbed = 0; climbed < MAX_CLIMB && at > 0; climbed += 1) {
    const around = copy.parents[at] as number;
    const inner = at;
    for (const each of copy.children[around] ?? []) {
      const own = copy.copies[each] as Element;
      if (each === inner) continue;
      const isTitle =
        each < inner &&
        (own.matches('h1') || holdsTitle(each)) &&
        !own.closest('nav, [role=banner], body > header');
      if (!isTitle || (copy.chars[each] ?? 0) > 600) aside.push(each);
      else at = -1;
    }
    if (at === -1) return { root: around, aside };
    at = around;
  }
  return { root, aside: [] };
}

/** Runs in the page: what is left out of the main content, the outermost elements of it. */
export function omittedIn(
  copy: PageCopy,
  {
    root,
    kept,
    aside,
  }: { readonly root: number; readonly kept: ReadonlySet<number>; readonly aside: readonly number[] },
): number[] {
  const search: Search = { copy, root, kept };
  const omitted: number[] = [];
  const left = new Set(aside);
  const stack = [root];
  for (let each = stack.pop(); each !== undefined; each = stack.pop()) {
    // What holds half of the content is not beside it.
    const isSmall = (copy.chars[each] ?? 0) * 2 < (copy.chars[root] ?? 0);
    const isOmitted = (isSmall && isPeripheral(search, each)) || isTeaserList(search, each);
    if (each !== root && (left.has(each) || isOmitted)) omitted.push(each);
    else stack.push(...(copy.children[each] ?? []));
  }
  return omitted;
}

/** Runs in the page: the parts of the page outside of `root` that say themselves that they only surround the content. */
export function surroundings(copy: PageCopy, root: number): number[] {
  const found: number[] = [];
  const stack = [0];
  for (let each = stack.pop(); each !== undefined; each = stack.pop()) {
    if (each === root) continue;
    if (
      each > 0 &&
      isNamedPeriphery(copy.copies[each] as Element) &&
      !copy.copies[each]?.contains(copy.copies[root] as Element)
    )
      found.push(each);
    else stack.push(...(copy.children[each] ?? []));
  }
  return found;
}

/** What the search for the main content calls in the page. */
export const PERIPHERY = [
  surroundings,
  isNamedPeriphery,
  linkShare,
  isPeripheral,
  isCalledPeripheral,
  looksPeripheral,
  isTeaserList,
  isTeaser,
  kindOf,
  namesOf,
  withSiblings,
  withTitle,
  omittedIn,
];
