import type { PageCopy } from './page-copy.js';

/** Runs in the page: how much of the text of an element is in links, from 0 to 1. */
export function linkShare(copy: PageCopy, each: number): number {
  return (copy.linkChars[each] ?? 0) / Math.max(1, copy.chars[each] ?? 0);
}

/**
 * Runs in the page: whether an element only surrounds the content: navigation, controls, links to other pages, comments.
 * Without a role or a name that says so, it needs the judgement of Defuddle and links.
 */
export function isPeripheral(copy: PageCopy, each: number, kept: ReadonlySet<number>): boolean {
  const own = copy.copies[each] as Element;
  const names = ['class', 'id', 'data-component'].map((name) => own.getAttribute(name) ?? '').join(' ');
  // The parts of an element that stays although Defuddle removed it are judged as if they were kept.
  const isRemoved = !kept.has(each) && kept.has(copy.parents[each] ?? -1);
  const links = linkShare(copy, each);
  const roles =
    'nav, dialog, [role=navigation], [role=search], [role=contentinfo], [role=dialog], [role=alertdialog], [role=menu], [role=menubar], [role=toolbar], [role=tablist], [role=listbox]';
  const navigation =
    /(^|[\s_-])(nav(bar|header|footer|igation)?|docnav|breadcrumbs?|pagination|pager|skip-?(link|nav|to))([\s_-]|$)/i;
  const company =
    /(^|[\s_-])(share|sharing|social|comments?|respond|newsletter|subscribe|advert|ads?|cookies?|related|recommend(ed|ations)?|promo|sponsor(ed)?)([\s_-]|$)/i;
  const aside =
    /nav|menu|crumb|footer|popular|trending|sidebar|widget|toolbar|signup|login|banner|copyright|author|bio|teaser/i;
  const note = /note|tip|warn|caution|important|callout|admonition|hint|info|danger|example|pull/i;
  if (own.matches('h1 *, h2 *, h3 *, h4 *, h5 *, h6 *'))
    return own.matches('a') && /^[#¶§🔗\s]*$/u.test(own.textContent);
  // A logo or a row of icons.
  if (isRemoved && copy.chars[each] === 0 && own.querySelector('img') && !own.querySelector('img:not(a *)'))
    return true;
  if (own.matches('h1, h2, h3, pre, pre *, code, td, th, tr, li, p, math') || own.querySelector('h1'))
    return false;
  if (own.matches(roles) || navigation.test(names)) return true;
  if (own.matches('footer') && !own.parentElement?.closest('article, section, blockquote, figure'))
    return true;
  if (own.matches('button, [role=button]')) return isRemoved && !own.closest('summary, p, li, td');
  if (company.test(names)) return isRemoved || links > 0.3;
  if (own.querySelector('pre, math')) return false;
  const isList = own.querySelector('li, img, article') !== null;
  // A box of the page itself may be named so as well, when it says something.
  if (aside.test(names) && links > 0.3) {
    return isList || own.querySelectorAll('a').length > 2 || (isRemoved && links > 0.8);
  }
  if (!isRemoved || /toc|contents/i.test(names)) return false;
  if (own.matches('aside, footer') && !note.test(names)) return true;
  // Links of a sentence, or to places in the page, are content.
  const inPage = own.querySelectorAll('a[href*="#"]').length * 2 > own.querySelectorAll('a').length;
  return links > 0.5 && isList && !inPage;
}

/** Runs in the page: the element around several that are alike, such as posts of a thread, where `root` is one of them. */
export function withSiblings(copy: PageCopy, root: number): number {
  const parent = copy.parents[root] ?? -1;
  const own = copy.copies[root] as Element;
  if (parent < 0 || (own.classList.length === 0 && own.localName !== 'article')) return root;
  const kindOf = (each: number): string => {
    const one = copy.copies[each] as Element;
    return `${one.localName} ${[...one.classList].slice(0, 2).join(' ')}`;
  };
  const alike = (copy.children[parent] ?? []).filter((each) => kindOf(each) === kindOf(root));
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
  const omitted: number[] = [];
  const left = new Set(aside);
  const stack = [root];
  for (let each = stack.pop(); each !== undefined; each = stack.pop()) {
    // What holds half of the content is not beside it.
    const isSmall = (copy.chars[each] ?? 0) * 2 < (copy.chars[root] ?? 0);
    if (each !== root && (left.has(each) || (isSmall && isPeripheral(copy, each, kept)))) omitted.push(each);
    else stack.push(...(copy.children[each] ?? []));
  }
  return omitted;
}

/** What the search for the main content calls in the page. */
export const PERIPHERY = [linkShare, isPeripheral, withSiblings, withTitle, omittedIn];
