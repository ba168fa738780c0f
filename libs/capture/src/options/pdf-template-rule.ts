import { Tokenizer, TokenizerMode, type Token, type TokenHandler } from 'parse5';
import { isHarmlessUrl, loadsByCss } from './css-loads.js';

/** Elements that run, load or send something, or change the meaning of other URLs or attributes. */
const BANNED_TAGS = new Set([
  'script',
  'iframe',
  'frame',
  'object',
  'embed',
  'applet',
  'link',
  'base',
  'meta',
  'form',
  'foreignobject',
  'animate',
  'set',
]);

/** Attributes whose value is a URL that is loaded, except the `href` of a link. */
const URL_ATTRIBUTES = new Set([
  'src',
  'href',
  'xlink:href',
  'poster',
  'background',
  'data',
  'action',
  'formaction',
]);
/** Attributes that hold several URLs. */
const URL_LISTS = new Set(['srcset', 'imagesrcset']);
/** Attributes that hold CSS; all but the first belong to SVG. */
const STYLES = new Set([
  'style',
  'fill',
  'stroke',
  'filter',
  'mask',
  'clip-path',
  'cursor',
  'marker',
  'marker-start',
  'marker-mid',
  'marker-end',
]);
const LINKS = new Set(['a', 'area']);

/** Tokenizer states after the start tags of elements that hold text, as in the tree builder of the HTML standard. */
const TEXT_MODES: Readonly<Record<string, (typeof TokenizerMode)[keyof typeof TokenizerMode]>> = {
  style: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  textarea: TokenizerMode.RCDATA,
  title: TokenizerMode.RCDATA,
  plaintext: TokenizerMode.PLAINTEXT,
};
/** Inside these, elements with HTML names are not special. */
const FOREIGN = new Set(['svg', 'math']);

const OUTSIDE = 'must not refer to anything outside it; pictures go in as data: URLs';

/**
 * The fault of the HTML of a PDF header or footer, or undefined. Chromium neither runs nor fetches anything in it: the rule
 * explains to its author why nothing shows, and prevents a style sheet to fetch from making the whole printing fail.
 *
 * It reads the HTML as tokens, in one pass, because a tree may need quadratic memory. In the rare cases that only a tree would
 * reveal (a style sheet in odd places of an SVG), printing fails with an error that explains it.
 */
export function templateFault(html: string): string | undefined {
  return new TemplateReader().faultOf(html);
}

class TemplateReader implements TokenHandler {
  private readonly tokenizer = new Tokenizer({ sourceCodeLocationInfo: false }, this);
  private fault: string | undefined;
  private foreignDepth = 0;
  /** Text of the current style sheet, inside one. */
  private css: string[] | undefined;

  faultOf(html: string): string | undefined {
    this.tokenizer.write(html, true);
    return this.fault;
  }

  onStartTag({ tagName, attrs, selfClosing }: Token.TagToken): void {
    this.fault ??= tagFault(tagName, attrs);
    if (FOREIGN.has(tagName) && !selfClosing) this.enter(1);
    const isForeign = this.foreignDepth > 0;
    if (tagName === 'style' && !(isForeign && selfClosing)) this.css ??= [];
    const mode = TEXT_MODES[tagName];
    if (mode !== undefined && !isForeign) this.tokenizer.state = mode;
  }

  onEndTag({ tagName }: Token.TagToken): void {
    if (FOREIGN.has(tagName)) this.enter(-1);
    if (tagName === 'style') this.endStyle();
  }

  onCharacter({ chars }: Token.CharacterToken): void {
    this.css?.push(chars);
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token);
  }

  onNullCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token);
  }

  onEof(): void {
    this.endStyle();
  }

  onComment(): void {
    // A comment shows and loads nothing.
  }

  onDoctype(): void {
    // A doctype has no effect inside a page.
  }

  private enter(levels: 1 | -1): void {
    this.foreignDepth = Math.max(0, this.foreignDepth + levels);
    this.tokenizer.inForeignNode = this.foreignDepth > 0;
  }

  private endStyle(): void {
    if (this.css && loadsByCss(this.css.join(''))) this.fault ??= OUTSIDE;
    this.css = undefined;
  }
}

function tagFault(tag: string, attributes: readonly Token.Attribute[]): string | undefined {
  if (BANNED_TAGS.has(tag)) return `must not hold <${tag}>`;
  if (attributes.some(({ name }) => name.startsWith('on'))) return 'must not hold event handlers';
  return attributes.some((attribute) => isOutside(tag, attribute)) ? OUTSIDE : undefined;
}

function isOutside(tag: string, { name, value }: Token.Attribute): boolean {
  if (STYLES.has(name)) return loadsByCss(value);
  if (URL_LISTS.has(name)) return !value.split(/\s+/).every(isHarmlessPart);
  if (!URL_ATTRIBUTES.has(name)) return false;
  return LINKS.has(tag) ? isScript(value) : !isHarmlessUrl(value);
}

/** A part of a list of URLs: a URL, after any commas, or the descriptor `2x`, `100w` or `50h` after one. */
function isHarmlessPart(part: string): boolean {
  return /^[\d.]+[xwh],?$/.test(part) || isHarmlessUrl(part.replace(/^,+/, ''));
}

/** The parser drops white space around a URL, and tabs and line breaks in it, as browsers do. */
function isScript(url: string): boolean {
  return URL.parse(url)?.protocol === 'javascript:';
}
