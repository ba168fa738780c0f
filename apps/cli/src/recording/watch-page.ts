/** What a person has done on a page. */
export type PageEvent =
  | ({ readonly type: 'click'; readonly offsetX: number; readonly offsetY: number } & PageElement)
  | ({ readonly type: 'change'; readonly value: string } & PageElement)
  /** A password or a code; what was typed stays in the page. */
  | ({ readonly type: 'secret'; readonly isCode: boolean } & PageElement)
  | { readonly type: 'key'; readonly key: string };

interface PageElement {
  /** Chains of selectors through shadow roots, the best first. */
  readonly selectors: readonly (readonly string[])[];
  /** The indexes of the frames around the document. */
  readonly frame: readonly number[];
}

/** The name of the function by which pages report, and of the world that has it: the scripts of the page see neither. */
export const REPORTER = 'reportToRecorder';

/** A script for each document, that reports what a person does there. */
export function watchScript(): string {
  const functions = [watchPage, targetOf, clicked, changed, elementOf, frameOf, selectorsOf, cssOf, nameOf];
  const others = [onPerson, fieldKind, isKeyStep, isText, xpathOf];
  return `(() => { ${[...functions, ...others].map(String).join('\n')}\nwatchPage(); })()`;
}

/** Runs in the page. Typing is reported once it has ended: before a key, a click or another field. */
function watchPage(): void {
  const report = (event: PageEvent): void => {
    (globalThis as unknown as Record<string, (text: string) => void>).reportToRecorder?.(
      JSON.stringify(event),
    );
  };
  const secrets = new WeakSet<Element>();
  let typed: Element | undefined;
  let pressed: PageEvent | undefined;
  const finish = (): void => {
    if (typed) report(changed(typed, secrets.has(typed)));
    typed = undefined;
  };
  onPerson('input', (target) => {
    if (typed !== target) finish();
    // A field that shows its password later keeps its secret.
    if (fieldKind(target) === 'password') secrets.add(target);
    if (isText(target)) typed = target;
  });
  onPerson('change', (target) => {
    if (target instanceof HTMLSelectElement) report(changed(target, false));
    else finish();
  });
  onPerson<KeyboardEvent>('keydown', (target, event) => {
    if (!isKeyStep(target, event)) return;
    finish();
    report({ type: 'key', key: event.key });
  });
  onPerson<MouseEvent>('mousedown', (target, event) => {
    finish();
    pressed = event.button === 0 ? clicked(target, event) : undefined;
  });
  // A key, or the click on a label, also clicks; nothing was pressed then.
  onPerson('click', () => {
    if (pressed) report(pressed);
    pressed = undefined;
  });
  addEventListener('pagehide', finish, true);
}

/** Runs in the page. Scripts of the page click and type, too: those events are not trusted. */
function onPerson<E extends Event>(name: string, handle: (target: Element, event: E) => void): void {
  const listen = (event: Event): void => {
    const target = event.isTrusted ? targetOf(event) : null;
    if (target) handle(target, event as E);
  };
  addEventListener(name, listen, true);
}

/** Runs in the page. What a key writes or deletes in a field is part of its text. */
function isKeyStep(target: Element, { key, ctrlKey, altKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  if (ctrlKey || altKey || metaKey || shiftKey) return false;
  if (!isText(target)) return /^(Enter|Tab|Escape| |Arrow\w+|Page\w+|Home|End)$/.test(key);
  return /^(Tab|Escape)$/.test(key) || (key === 'Enter' && target instanceof HTMLInputElement);
}

/** Runs in the page. The element that an event is for, also in a shadow root. */
function targetOf(event: Event): Element | null {
  const [target] = event.composedPath();
  return target instanceof Element ? target : null;
}

/** Runs in the page. A list opens by the keyboard or the mouse, and reports what was chosen in it. */
function clicked(target: Element, { clientX, clientY }: MouseEvent): PageEvent | undefined {
  if (target.closest('select')) return undefined;
  const element = target.closest('button, a[href], label, summary, input, [role="button"]') ?? target;
  const { left, top } = element.getBoundingClientRect();
  return { type: 'click', ...elementOf(element), offsetX: clientX - left, offsetY: clientY - top };
}

/** Runs in the page. */
function changed(element: Element, isPassword: boolean): PageEvent {
  const kind = isPassword ? 'password' : fieldKind(element);
  if (kind !== 'text') return { type: 'secret', isCode: kind === 'code', ...elementOf(element) };
  const { value = (element as HTMLElement).innerText } = element as HTMLInputElement;
  return { type: 'change', value, ...elementOf(element) };
}

/** Runs in the page. A field that calls itself one for passwords may show them. */
function fieldKind(element: Element): 'password' | 'code' | 'text' {
  const { type = '', name = '', autocomplete = '' } = element as Partial<HTMLInputElement>;
  if (autocomplete.includes('one-time-code')) return 'code';
  const isMasked = getComputedStyle(element).getPropertyValue('-webkit-text-security') !== 'none';
  const isNamed = /passw|passphrase|pwd|passcode/i.test(`${name} ${element.id} ${autocomplete}`);
  return type === 'password' || isMasked || isNamed ? 'password' : 'text';
}

/** Runs in the page. Whether it is written into, unlike a box that is ticked or a file that is chosen. */
function isText(element: Element): boolean {
  if (element instanceof HTMLInputElement) {
    return !/^(checkbox|radio|file|button|submit|reset|image|hidden)$/.test(element.type);
  }
  return element instanceof HTMLTextAreaElement || (element as HTMLElement).isContentEditable;
}

/** Runs in the page. */
function elementOf(element: Element): PageElement {
  return { selectors: selectorsOf(element), frame: frameOf() };
}

/** Runs in the page. */
function frameOf(): number[] {
  const indexes: number[] = [];
  for (let view: Window = window; view !== view.parent; view = view.parent) {
    const siblings = Array.from({ length: view.parent.length }, (_, i) => view.parent[i]);
    indexes.unshift(siblings.indexOf(view));
  }
  return indexes;
}

/** Runs in the page. By CSS, by the name that screen readers say, by XPath: names and texts change with the language. */
function selectorsOf(element: Element): string[][] {
  const chain: string[] = [];
  let inside: Element = element;
  for (;;) {
    const root = inside.getRootNode() as Document | ShadowRoot;
    chain.unshift(cssOf(inside, root));
    if (!(root instanceof ShadowRoot)) break;
    inside = root.host;
  }
  const name = nameOf(element);
  const byName = name === '' ? [] : [[`aria/${name}`]];
  return [chain, ...byName, ...(chain.length === 1 ? [[`xpath/${xpathOf(element)}`]] : [])];
}

/** Runs in the page. An id with digits was often made for this visit only. */
function cssOf(element: Element, root: Document | ShadowRoot): string {
  const tag = CSS.escape(element.localName);
  for (const attribute of ['data-testid', 'data-test', 'id', 'name']) {
    const value = element.getAttribute(attribute);
    if (!value || value.length > 100 || /\d{3}|:/.test(value)) continue;
    const text = CSS.escape(value);
    const selector = attribute === 'id' ? `#${text}` : `${tag}[${attribute}="${text}"]`;
    if (root.querySelectorAll(selector).length === 1) return selector;
  }
  const parent = element.parentElement;
  const same = [...(parent ?? root).children].filter(({ localName }) => localName === element.localName);
  const own = same.length > 1 ? `${tag}:nth-of-type(${same.indexOf(element) + 1})` : tag;
  return parent ? `${cssOf(parent, root)} > ${own}` : own;
}

/** Runs in the page. */
function xpathOf(element: Element): string {
  const parent = element.parentElement;
  if (!parent) return `/${element.localName}`;
  const same = [...parent.children].filter(({ localName }) => localName === element.localName);
  return `${xpathOf(parent)}/*[name()='${element.localName}'][${same.indexOf(element) + 1}]`;
}

/** Runs in the page. What a selector cannot hold as it is gives none. */
function nameOf(element: Element): string {
  const { labels, placeholder = '' } = element as Partial<HTMLInputElement>;
  const isNamedByText = element.matches('button, a, summary, [role="button"]');
  const text = isNamedByText ? (element as HTMLElement).innerText : '';
  const label = labels?.[0]?.innerText ?? '';
  const name = element.getAttribute('aria-label') ?? (label || text || placeholder);
  const plain = name.replace(/\s+/g, ' ').trim();
  return plain.length <= 80 && /^[^"'[\]\\]*$/.test(plain) ? plain : '';
}
