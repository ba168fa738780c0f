import type { PageUrls } from './page-urls.js';
import type { Attributes, WalkSettings } from './tags.js';

/** Limits of pictures that are drawn in the page. */
export const PICTURE_LIMITS = { count: 100, pixels: 40_000_000 } as const;

/**
 * The attributes of an element: those that it has, with absolute URLs, and those that make up for what is not in the DOM, such
 * as what was typed into a field. It runs in the page, and stands alone; elements are read past DOM clobbering.
 */
export class ElementAttributes {
  private readonly localNameOf = Reflect.getOwnPropertyDescriptor(Element.prototype, 'localName')?.get as (
    this: Element,
  ) => string;
  private readonly left: { count: number; pixels: number };

  constructor(
    private readonly kind: Pick<WalkSettings, 'isArchive'>,
    limits: typeof PICTURE_LIMITS,
  ) {
    this.left = { ...limits };
  }

  /** @param element the node, read by `safe` where names of it may be shadowed */
  attributesOf(element: Element, node: Element, urls: PageUrls): Attributes {
    const attributes: Attributes = new Map();
    for (const { name, value } of element.attributes)
      attributes.set(name, this.absolute(element, { name, value }, urls));
    this.addState(element, attributes, urls);
    this.addTopLayer(node, attributes);
    return attributes;
  }

  /** The attributes of an element whose content must not be seen: it keeps its place and its size. */
  ofMasked(element: Element, node: Element): Attributes {
    const attributes: Attributes = new Map();
    for (const name of ['id', 'class', 'dir', 'slot']) {
      const value = element.getAttribute(name);
      if (value !== null) attributes.set(name, value);
    }
    const { width, height } = element.getBoundingClientRect();
    const { display, margin, verticalAlign } = getComputedStyle(node);
    const size = `box-sizing: border-box; width: ${width}px; height: ${height}px`;
    const place = `margin: ${margin}; vertical-align: ${verticalAlign}`;
    const box = display === 'inline' ? 'display: inline-block; ' : '';
    const black = [
      'background: #000',
      'border-color: #000',
      'outline-color: #000',
      'box-shadow: none',
      'filter: brightness(0)',
    ];
    const styles = [size, place, ...black.map((each) => `${each} !important`)];
    attributes.set('style', box + styles.join('; '));
    return attributes;
  }

  private absolute(
    element: Element,
    { name, value }: { name: string; value: string },
    urls: PageUrls,
  ): string {
    const { localName, namespaceURI } = element;
    if (name === 'style') return urls.css(value);
    if (namespaceURI === 'http://www.w3.org/2000/svg') {
      if (name !== 'href' && name !== 'xlink:href') return value.includes('url(') ? urls.css(value) : value;
      return value.startsWith('#') ? value : localName === 'a' ? urls.absolute(value) : urls.resource(value);
    }
    switch (name) {
      case 'href':
        return localName === 'link' && element.matches('[rel~=stylesheet i]')
          ? urls.resource(value)
          : urls.absolute(value);
      case 'src':
      case 'poster':
      case 'background':
        return /^(?:script|iframe|frame|audio|video|source|track)$/.test(localName) && name === 'src'
          ? urls.absolute(value)
          : urls.resource(value);
      case 'data':
        return localName === 'object' ? urls.resource(value) : value;
      case 'action':
      case 'formaction':
      case 'cite':
      case 'longdesc':
      case 'manifest':
      case 'xlink:href':
        return urls.absolute(value);
      case 'ping':
        return urls.list(value);
      case 'srcset':
      case 'imagesrcset':
        return urls.srcset(value);
      default:
        return value;
    }
  }

  private addState(element: Element, attributes: Attributes, urls: PageUrls): void {
    if (element.namespaceURI !== 'http://www.w3.org/1999/xhtml') return;
    const toggle = (name: string, isOn: boolean): void => {
      if (!isOn) attributes.delete(name);
      else if (!attributes.has(name)) attributes.set(name, '');
    };
    const { localName } = element;
    if (localName === 'input') this.addInput(element as HTMLInputElement, attributes, toggle);
    else if (localName === 'option') toggle('selected', (element as HTMLOptionElement).selected);
    else if (localName === 'canvas') this.addCanvas(element as HTMLCanvasElement, attributes);
    else if (localName === 'template') attributes.delete('shadowrootmode');
    else if (localName === 'base') attributes.delete('href');
    else if (localName === 'meta') this.addRefresh(element, attributes, urls);
    else if (localName === 'img' && this.kind.isArchive)
      this.addShownImage(element as HTMLImageElement, attributes, urls);
    else if (localName === 'video' && this.kind.isArchive)
      this.addFrame(element as HTMLVideoElement, attributes);
    else if (localName === 'link')
      toggle('disabled', (element as HTMLLinkElement).sheet?.disabled ?? attributes.has('disabled'));
    this.addOwnOrigin(element, attributes);
  }

  private addRefresh(meta: Element, attributes: Attributes, urls: PageUrls): void {
    const [content, ms, quote = '', url = ''] =
      /^([^;,]*[;,]\s*(?:url\s*=\s*)?)(["']?)([^"']+)/i.exec(attributes.get('content') ?? '') ?? [];
    if (content === undefined || !meta.matches('[http-equiv=refresh i]')) return;
    attributes.set('content', `${ms ?? ''}${quote}${urls.absolute(url.trim())}${quote}`);
  }

  private addInput(
    input: HTMLInputElement,
    attributes: Attributes,
    toggle: (name: string, isOn: boolean) => void,
  ): void {
    const { type, value, checked } = input;
    if (type === 'password') attributes.delete('value');
    else if (type === 'checkbox' || type === 'radio') toggle('checked', checked);
    else if (!/^(?:hidden|submit|reset|button|image|file)$/.test(type) && value !== input.defaultValue)
      attributes.set('value', value);
  }

  /**
   * The file has another origin than the site. What the page loads from its own origin would be refused there with
   * `crossorigin`, and with `integrity`, which needs the former.
   */
  private addOwnOrigin(element: Element, attributes: Attributes): void {
    if (!attributes.has('crossorigin') && !attributes.has('integrity')) return;
    const url = attributes.get('src') ?? attributes.get('href');
    const page = URL.parse(element.ownerDocument.URL);
    if (url === undefined || URL.parse(url)?.origin !== page?.origin) return;
    attributes.delete('crossorigin');
    attributes.delete('integrity');
  }

  /** A dialog or a popover is in front of the page because a script has put it there, which no attribute says. */
  private addTopLayer(element: Element, attributes: Attributes): void {
    const mayBe = attributes.has('popover') || this.localNameOf.call(element) === 'dialog';
    if (!mayBe || !Element.prototype.matches.call(element, ':modal, :popover-open')) return;
    const { position, display, inset } = getComputedStyle(element);
    const behind = getComputedStyle(element, '::backdrop');
    const isModal = Element.prototype.matches.call(element, ':modal');
    const place = isModal && position === 'fixed' ? `position: fixed; inset: ${inset}; ` : '';
    const shadow =
      isModal && behind.display !== 'none' ? `box-shadow: 0 0 0 100vmax ${behind.backgroundColor}; ` : '';
    this.addStyle(attributes, `${place}${shadow}display: ${display}; z-index: 2147483647`);
  }

  private addStyle(attributes: Attributes, css: string): void {
    const own = (attributes.get('style') ?? '').trim().replace(/;$/, '');
    attributes.set('style', own === '' ? css : `${own}; ${css}`);
  }

  private addCanvas(canvas: HTMLCanvasElement, attributes: Attributes): void {
    const picture = this.draw(canvas.width, canvas.height, () => canvas.toDataURL());
    if (picture === undefined) return;
    const place = '0 0 / 100% 100% no-repeat content-box';
    const { backgroundColor } = getComputedStyle(canvas);
    this.addStyle(attributes, `background: url("${picture}") ${place} ${backgroundColor}`);
  }

  /** The picture that a video shows now becomes its poster. */
  private addFrame(video: HTMLVideoElement, attributes: Attributes): void {
    const { videoWidth: width, videoHeight: height } = video;
    if (video.readyState < 2 || (video.currentTime === 0 && attributes.has('poster'))) return;
    const picture = this.draw(width, height, () => {
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width, height });
      canvas.getContext('2d')?.drawImage(video, 0, 0);
      return canvas.toDataURL('image/jpeg');
    });
    if (picture !== undefined) attributes.set('poster', picture);
  }

  /** Undefined when there is nothing to draw, or too much of it, or when the browser does not allow to read it. */
  private draw<T>(width: number, height: number, draw: () => T): T | undefined {
    const pixels = width * height;
    if (pixels === 0 || pixels > this.left.pixels || this.left.count === 0) return undefined;
    this.left.pixels -= pixels;
    this.left.count -= 1;
    try {
      return draw();
    } catch {
      // Pictures of other sites are drawn on it.
      return undefined;
    }
  }

  /** Only the candidate that is shown is in the archive. A reader with another screen would choose one that is not. */
  private addShownImage(image: HTMLImageElement, attributes: Attributes, urls: PageUrls): void {
    const { currentSrc, naturalWidth } = image;
    const isChosen = attributes.has('srcset') || image.parentElement?.localName === 'picture';
    if (!isChosen || currentSrc === '') return;
    const { parentElement: parent } = image;
    const sources = parent?.localName === 'picture' ? parent.querySelectorAll(':scope > source') : [];
    const texts = [...sources, image].map((each) => each.getAttribute('srcset') ?? '');
    const shown = texts.flatMap((text) => urls.candidates(text)).find(({ url }) => url === currentSrc);
    const size = /^([\d.]+)([wx])$/.exec(shown?.descriptor ?? '');
    const density = size?.[2] === 'w' ? Number(size[1]) / naturalWidth : Number(size?.[1] ?? 1);
    attributes.set('src', urls.resource(currentSrc));
    attributes.delete('srcset');
    attributes.delete('sizes');
    if (density !== 1 && density > 0 && Number.isFinite(density))
      attributes.set('srcset', `${urls.resource(currentSrc)} ${density}x`);
  }
}
