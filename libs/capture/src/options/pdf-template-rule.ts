import { Tokenizer, TokenizerMode, type Token, type TokenHandler } from 'parse5';
import { isHarmlessAddress, loadsByCss } from './css-loads.js';

/** Elements that run, load or send something, or change what addresses or attributes of others mean. */
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

/** Attributes whose value is an address that is loaded, but for the `href` of a link. */
const ADDRESSES = new Set([
  'src',
  'href',
  'xlink:href',
  'poster',
  'background',
  'data',
  'action',
  'formaction',
]);
/** Attributes that hold several addresses. */
const ADDRESS_LISTS = new Set(['srcset', 'imagesrcset']);
/** Attributes that hold CSS; all but the first are of SVG. */
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

/** What follows the start tag of these elements is text; the rest is as the standard's tree builder has it. */
const TEXT_MODES: Readonly<Record<string, (typeof TokenizerMode)[keyof typeof TokenizerMode]>> = {
  style: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  textarea: TokenizerMode.RCDATA,
  title: TokenizerMode.RCDATA,
  plaintext: TokenizerMode.PLAINTEXT,
};
/** In them elements of HTML's names hold text as any other. */
const FOREIGN = new Set(['svg', 'math']);

const OUTSIDE = 'must not refer to anything outside it; pictures go in as data: URLs';

/**
 * What is wrong with the HTML of a PDF header or footer, or undefined. Chromium neither runs nor fetches anything in
 * it: the rule is there so that its author learns why nothing shows, and because a style sheet to be fetched makes
 * the whole printing fail.
 *
 * The HTML is read as tokens, in one pass. A tree of it may grow by the square of its length, and where the tree alone
 * would say more (a style sheet in odd places of an SVG), the printing fails with an error that says so.
 */
export function templateFault(html: string): string | undefined {
  return new TemplateReader().faultOf(html);
}

class TemplateReader implements TokenHandler {
  private readonly tokenizer = new Tokenizer({ sourceCodeLocationInfo: false }, this);
  private fault: string | undefined;
  private foreignDepth = 0;
  /** The style sheet that is being read, if one is. */
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
    // Shows and loads nothing.
  }

  onDoctype(): void {
    // Means nothing within a page.
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
  if (ADDRESS_LISTS.has(name)) return !value.split(/\s+/).every(isHarmlessPart);
  if (!ADDRESSES.has(name)) return false;
  return LINKS.has(tag) ? isScript(value) : !isHarmlessAddress(value);
}

/** A part of a list of addresses: an address, after any commas, or the `2x`, `100w` or `50h` behind one. */
function isHarmlessPart(part: string): boolean {
  return /^[\d.]+[xwh],?$/.test(part) || isHarmlessAddress(part.replace(/^,+/, ''));
}

/** Browsers drop tabs and line breaks from an address, and what stands before it. */
function isScript(address: string): boolean {
  return URL.parse(address)?.protocol === 'javascript:';
}
