import type { SafeAccess } from '../../pipeline/in-page.js';
import type { ElementAttributes } from './element-attributes.js';
import type { PageUrls } from './page-urls.js';
import type { ChangedSheet, SheetTexts } from './sheet-texts.js';
import type { Attributes, Tags, WalkSettings } from './tags.js';

/** What the isolated world knows about nodes that scripts cannot reach. */
export interface KnownNodes {
  /** Nodes and style sheets of the capture itself. */
  readonly own: WeakSet<object>;
  readonly closedRoots: ReadonlyMap<Element, ShadowRoot>;
  /** The URLs of frames' documents in the archive. */
  readonly frames: ReadonlyMap<Element, string>;
}

export interface WalkParts {
  readonly safe: SafeAccess;
  readonly known: KnownNodes;
  readonly attributes: ElementAttributes;
  readonly tags: Tags;
  readonly sheets: SheetTexts;
  /** `base` is that of the document by default. */
  readonly urlsOf: (page: Document, base?: string) => PageUrls;
}

/** What is still to be written. */
type Step = Node | string | (() => void);

/** The document that is being written. */
interface Writing {
  readonly urls: PageUrls;
  /** The adopted style sheets, and the element at whose end they are written, so that they come after all others. */
  readonly styles: string;
  readonly place: Element | null;
}

/**
 * Writes a document as HTML, step by step. It runs in the page, and stands alone.
 *
 * Scripts of the page may run between two pieces. A part of the DOM that has been written is not looked at again.
 */
export class MarkupWalk {
  /** More characters than allowed were found. */
  isTooLong = false;
  /** The next entry last. */
  private readonly steps: Step[] = [];
  /** What is written and not taken yet. */
  private text = '';
  private chars = 0;
  private writing: Writing;
  /** The number of `srcdoc` attributes around what is written. */
  private depth = 0;
  private readonly withoutEnd =
    /^(?:area|base|basefont|bgsound|br|col|embed|frame|hr|img|input|keygen|link|meta|param|source|track|wbr)$/;
  /** Past names of elements that shadow properties; for all nodes a proxy would take ten times as long. */
  private readonly nodeTypeOf = this.getter(Node.prototype, 'nodeType') as (this: Node) => number;
  private readonly localNameOf = this.getter(Element.prototype, 'localName') as (this: Node) => string;
  private readonly rawText = /^(?:script|xmp|noembed|noframes|plaintext)$/;

  constructor(
    page: Document,
    private readonly settings: WalkSettings,
    private readonly parts: WalkParts,
  ) {
    this.writing = { urls: parts.urlsOf(page), styles: '', place: null };
  }

  /** Starts with a document or an element. */
  start(node: Node): void {
    this.steps.push(node);
  }

  /** The next piece of at most `maxChars` characters; '' at the end. */
  takeMarkup(maxChars: number): string {
    while (this.steps.length > 0 && this.text.length < maxChars && !this.isTooLong) {
      const step = this.steps.pop();
      if (typeof step === 'string') this.write(step);
      else if (typeof step === 'function') step();
      else if (step) this.writeNode(step);
    }
    // No surrogate pair is split.
    const end = /[\ud800-\udbff]/.test(this.text[maxChars - 1] ?? '') ? maxChars + 1 : maxChars;
    const piece = this.text.slice(0, end).toWellFormed();
    this.text = this.text.slice(end);
    return piece;
  }

  get isComplete(): boolean {
    return this.steps.length === 0 && this.text === '';
  }

  private write(markup: string): void {
    let text = markup;
    for (let i = 0; i < this.depth; i += 1) text = text.replace(/&/g, '&amp;').replace(/"/g, '&quot;');
    this.chars += text.length;
    if (this.chars > this.settings.maxChars) this.isTooLong = true;
    else this.text += text;
  }

  private writeText(text: string): void {
    // The escaped text is even longer.
    if (this.chars + text.length > this.settings.maxChars) this.isTooLong = true;
    else this.write(this.parts.tags.escape(text));
  }

  /** Writes these steps before all others. */
  private push(steps: Iterable<Step>): void {
    const all = [...steps];
    for (let i = all.length - 1; i >= 0; i -= 1) this.steps.push(all[i] ?? '');
  }

  private getter(prototype: object, name: string): unknown {
    return Reflect.getOwnPropertyDescriptor(prototype, name)?.get;
  }

  private writeNode(node: Node): void {
    const { safe, known } = this.parts;
    if (known.own.has(node)) return;
    const nodeType = this.nodeTypeOf.call(node);
    if (nodeType === Node.ELEMENT_NODE) this.writeElement(node as Element);
    else if (nodeType === Node.TEXT_NODE || nodeType === Node.CDATA_SECTION_NODE)
      this.writeText((node as Text).data);
    else if (nodeType === Node.COMMENT_NODE) this.write(`<!--${(node as Comment).data}-->`);
    else if (nodeType === Node.DOCUMENT_NODE) this.writeDocument(safe(node as Document));
  }

  /** The document becomes one of HTML, whatever it was. */
  private writeDocument(page: Document): void {
    const { doctype, compatMode } = page;
    const root = page.documentElement as Element | null;
    const styles = this.styleMarkup(page);
    const isPage = root?.localName === 'html' && root.namespaceURI === 'http://www.w3.org/1999/xhtml';
    this.writing = { urls: this.parts.urlsOf(page), styles, place: isPage ? this.placeOfStyles(page) : null };
    if (doctype && page.contentType === 'text/html') this.write(this.parts.tags.doctype(doctype));
    else if (compatMode === 'CSS1Compat') this.write('<!DOCTYPE html>');
    const nodes = [...page.childNodes].filter((each) => each !== doctype);
    if (isPage) this.push(nodes);
    else {
      const before = `<html><head>${this.settings.head}${styles}</head><body style="margin: 0">`;
      this.push([before, ...nodes, '</body></html>']);
    }
  }

  /** The end of the head, where no other style sheet follows; the end of the body would change what `:last-child` matches. */
  private placeOfStyles(page: Document): Element {
    const head = page.head as Element | null;
    const isInHead = [...page.styleSheets].every(({ ownerNode }) => ownerNode && head?.contains(ownerNode));
    const last = isInHead ? head : (page.body as Element | null);
    return last ?? head ?? page.documentElement;
  }

  private styleMarkup(root: Document | ShadowRoot): string {
    return this.parts.sheets
      .ofRoot(root)
      .map(({ css, media }) => {
        const attributes: Attributes = new Map(media === '' ? [] : [['media', media]]);
        return `${this.parts.tags.start('style', attributes)}${this.writing.urls.css(css)}</style>`;
      })
      .join('');
  }

  private writeElement(node: Element): void {
    const { safe, attributes, known } = this.parts;
    const hasNames = /^(?:form|frameset|object|embed)$/.test(this.localNameOf.call(node));
    const element = hasNames ? safe(node) : node;
    const { namespaceURI, localName, tagName } = element;
    const isHtml = namespaceURI === 'http://www.w3.org/1999/xhtml';
    const name = isHtml || /(?:svg|MathML)$/.test(namespaceURI ?? '') ? localName : tagName;
    const end = isHtml && this.withoutEnd.test(name) ? '' : `</${name}>`;
    if (this.parts.tags.isLeftOut(element)) return;
    if (this.settings.masks.some((mask) => element.matches(mask))) {
      this.write(this.parts.tags.start(name, attributes.ofMasked(element, node)) + end);
      return;
    }
    const length = [...element.attributes].reduce((sum, { value }) => sum + value.length, 0);
    if (this.chars + length > this.settings.maxChars) {
      this.isTooLong = true;
      return;
    }
    const own = attributes.attributesOf(element, node, this.writing.urls);
    const symbol = localName === 'use' ? known.closedRoots.get(node) : undefined;
    if (symbol) {
      this.writeSymbol(symbol, own);
      return;
    }
    if (isHtml && this.writeFrame(element, node, own)) return;
    const changed =
      localName === 'link' ? this.parts.sheets.ofChangedLink(element as HTMLLinkElement) : undefined;
    if (changed !== undefined) {
      this.writeChangedLink(node, own, changed);
      return;
    }
    const content = isHtml ? this.contentOf(element, node, own) : this.foreignContentOf(element);
    this.write(this.parts.tags.start(name, own));
    this.push(end === '' ? [] : [...content, end]);
  }

  /** Writes a frame with its document, or sets the address of the document in the archive. Returns whether it is written. */
  private writeFrame(element: Element, node: Element, attributes: Attributes): boolean {
    const { localName } = element;
    if (!/^(?:iframe|frame|object|embed)$/.test(localName)) return false;
    const inArchive = this.parts.known.frames.get(node);
    if (inArchive !== undefined) {
      attributes.delete('srcdoc');
      attributes.set(localName === 'object' ? 'data' : 'src', inArchive);
    }
    if (localName !== 'iframe' || this.settings.isArchive || this.depth >= this.settings.maxFrames)
      return false;
    const page = (element as HTMLIFrameElement).contentDocument;
    if (!page) return false;
    // A frame that has not loaded, or that scripts have not filled.
    if (page.URL === 'about:blank' && (page.body as Element | null)?.hasChildNodes() !== true) return false;
    attributes.delete('src');
    attributes.delete('srcdoc');
    this.write(`${this.parts.tags.start(localName, attributes).slice(0, -1)} srcdoc="`);
    const { writing } = this;
    const enter = (): void => void (this.depth += 1);
    const leave = (): void => {
      this.depth -= 1;
      this.writing = writing;
    };
    this.push([enter, page, leave, '"></iframe>']);
    return true;
  }

  /** A file of another origin may not show a symbol of the site's files, so that it is written in place of its `use`. */
  private writeSymbol(root: ShadowRoot, attributes: Attributes): void {
    const target = root.firstElementChild;
    const symbol = target?.localName === 'symbol' ? target : null;
    this.write(this.parts.tags.symbol(symbol, attributes));
    this.push([...(symbol ?? root).childNodes, '</svg></g>']);
  }

  private foreignContentOf(element: Element): Step[] {
    return element.localName === 'style' ? [this.textOfStyle(element)] : [...element.childNodes];
  }

  /** The rules of a linked style sheet that scripts have changed; the base of their URLs is that of the style sheet. */
  private writeChangedLink(element: Element, attributes: Attributes, { css, href }: ChangedSheet): void {
    const media = attributes.get('media');
    const style: Attributes = new Map(media === undefined ? [] : [['media', media]]);
    const urls = this.parts.urlsOf(this.parts.safe(element.ownerDocument), href);
    this.write(`${this.parts.tags.start('style', style)}${urls.css(css)}</style>`);
  }

  private textOfStyle(element: Element, attributes?: Attributes): string {
    const text = this.parts.sheets.ofElement(element as HTMLStyleElement);
    if (text === null) attributes?.set('media', 'not all');
    return this.writing.urls.css(text ?? element.textContent);
  }

  private contentOf(element: Element, node: Element, attributes: Attributes): Step[] {
    const { localName } = element;
    const { head } = this.settings;
    if (localName === 'style') return [this.textOfStyle(element, attributes)];
    if (this.rawText.test(localName) || (localName === 'noscript' && this.settings.hasScripts))
      return [element.textContent];
    if (localName === 'iframe') return [];
    // The parser drops a line break at the start.
    if (localName === 'textarea')
      return ['\n', this.parts.tags.escape((element as HTMLTextAreaElement).value)];
    if (localName === 'template') return [...(element as HTMLTemplateElement).content.childNodes];
    const steps: Step[] = this.shadowOf(element, node);
    if (localName === 'head') steps.push(head);
    if (localName === 'html' && !element.querySelector(':scope > head')) steps.push(`<head>${head}</head>`);
    if (localName === 'pre' && element.firstChild?.nodeValue?.startsWith('\n') === true) steps.push('\n');
    for (const child of element.childNodes) steps.push(child);
    if (node === this.writing.place) steps.push(this.writing.styles);
    return steps;
  }

  /** The shadow root of an element, declared as a template. */
  private shadowOf(element: Element, node: Element): Step[] {
    const root = element.shadowRoot ?? this.parts.known.closedRoots.get(node);
    if (!root) return [];
    const styles = this.styleMarkup(root);
    const isLast = root.styleSheets.length > 0;
    return [
      this.parts.tags.template(root),
      isLast ? '' : styles,
      ...root.childNodes,
      isLast ? styles : '',
      '</template>',
    ];
  }
}
