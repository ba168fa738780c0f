/** Attributes by name, in the order in which they are written. */
export type Attributes = Map<string, string>;

/** How a document is written. */
export interface WalkSettings {
  /** Whether the resources are in the same file, and scripts will not run. */
  readonly isArchive: boolean;
  /** Markup at the start of each head. */
  readonly head: string;
  readonly masks: readonly string[];
  /** Whether scripts run in the page, so that the content of `noscript` is text. */
  readonly hasScripts: boolean;
  /** Maximum number of characters. */
  readonly maxChars: number;
  /** Frames that are written into their element are nested up to this depth. */
  readonly maxFrames: number;
}

/** Writes single tags. It runs in the page, and stands alone. */
export class Tags {
  constructor(private readonly settings: Pick<WalkSettings, 'isArchive' | 'hasScripts'>) {}

  escape(text: string): string {
    if (!/[&\u00a0<>]/.test(text)) return text;
    const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    return escaped.replaceAll('\u00a0', '&nbsp;');
  }

  start(name: string, attributes: Attributes): string {
    let tag = `<${name}`;
    for (const [attribute, value] of attributes) tag += this.attribute(attribute, value);
    return `${tag}>`;
  }

  doctype({ name, publicId, systemId }: DocumentType): string {
    const ids = publicId !== '' ? ` PUBLIC "${publicId}"` : systemId !== '' ? ' SYSTEM' : '';
    return `<!DOCTYPE ${name}${ids}${systemId === '' ? '' : ` "${systemId}"`}>`;
  }

  /** The start of a template that declares a shadow root. */
  template({ mode, delegatesFocus, clonable, serializable, slotAssignment }: ShadowRoot): string {
    const flags = { delegatesFocus, clonable, serializable };
    const names = Object.entries(flags).flatMap(([name, isOn]) =>
      isOn ? ` shadowroot${name.toLowerCase()}` : [],
    );
    const slots = slotAssignment === 'manual' ? ' shadowrootslotassignment="manual"' : '';
    return `<template shadowrootmode="${mode}"${names.join('')}${slots}>`;
  }

  /** Replaces the start of a `use` with these attributes that shows `symbol`, or another element. */
  symbol(symbol: Element | null, attributes: Attributes): string {
    const own: Attributes = new Map(attributes);
    const box: Attributes = new Map();
    for (const [name, initial] of Object.entries({ x: '0', y: '0', width: '100%', height: '100%' })) {
      box.set(name, own.get(name) ?? initial);
      own.delete(name);
    }
    own.delete('href');
    own.delete('xlink:href');
    const viewBox = symbol?.getAttribute('viewBox') ?? null;
    if (viewBox !== null) box.set('viewBox', viewBox);
    box.set('overflow', viewBox === null ? 'visible' : 'hidden');
    return this.start('g', own) + this.start('svg', box);
  }

  /** What would contradict the file, or does nothing in it. */
  isLeftOut(element: Element): boolean {
    const { localName } = element;
    const { isArchive, hasScripts } = this.settings;
    if (localName === 'meta')
      return element.matches(
        `[charset], [http-equiv=content-type i], [http-equiv=content-security-policy i]${isArchive ? ', [http-equiv=refresh i]' : ''}`,
      );
    if (localName === 'base') return element.getAttributeNames().every((name) => name === 'href');
    if (!isArchive) return false;
    if (localName === 'link')
      return element.matches('[rel~=preload i], [rel~=modulepreload i], [rel~=prefetch i]');
    if (localName === 'source') return element.parentElement?.localName === 'picture';
    return localName === 'script' || (localName === 'noscript' && hasScripts);
  }

  private attribute(name: string, value: string): string {
    return ` ${name}="${this.escape(value).replaceAll('"', '&quot;')}"`;
  }
}
