/** A linked style sheet that scripts have changed. */
export interface ChangedSheet {
  readonly css: string;
  readonly href: string;
}

/**
 * The texts of style sheets as scripts have left them. It runs in the page, and stands alone: in the isolated world the
 * interfaces are the browser's own.
 */
export class SheetTexts {
  /** A longer text is taken as it is. */
  private readonly maxChars = 5_000_000;

  constructor(
    private readonly known: {
      /** Style sheets of the capture itself, which are not part of the page. */
      readonly own: WeakSet<object>;
      readonly changed: WeakSet<object>;
    },
  ) {}

  /** Undefined for a linked style sheet that is as the server sent it. */
  ofChangedLink({ sheet }: HTMLLinkElement): ChangedSheet | undefined {
    if (!sheet || sheet.disabled || !this.known.changed.has(sheet)) return undefined;
    return { css: this.escaped(this.rules(sheet)), href: sheet.href ?? '' };
  }

  /** What a `style` element applies: its text, or its rules when they are not those of the text. Null when it is switched off. */
  ofElement(element: HTMLStyleElement): string | null {
    const text = element.textContent;
    const { sheet } = element;
    if (!sheet) return text;
    if (sheet.disabled) return null;
    if (text.length > this.maxChars) return text;
    const rules = this.rules(sheet);
    // A constructed style sheet has no imports.
    const unchanged = new CSSStyleSheet();
    unchanged.replaceSync(text);
    const inText = this.rules(unchanged, text.includes('@import') ? sheet : undefined);
    return rules === inText ? text : this.escaped(rules);
  }

  /** The sheets that a document or a shadow root has adopted, one after the other. */
  ofRoot({ adoptedStyleSheets }: Document | ShadowRoot): { readonly css: string; readonly media: string }[] {
    return [...adoptedStyleSheets]
      .filter((sheet) => !sheet.disabled && !this.known.own.has(sheet) && sheet.cssRules.length > 0)
      .map((sheet) => ({
        css: this.escaped(this.rules(sheet)),
        media: sheet.media.mediaText,
      }));
  }

  /** No text of a `style` element may end it. */
  private escaped(css: string): string {
    return css.replace(/<\/(?=style)/gi, '<\\/');
  }

  /** The rules of a style sheet as text. `imports` are put before them. */
  private rules(sheet: CSSStyleSheet, imports?: CSSStyleSheet): string {
    // The rule may belong to another frame, which has classes of its own.
    const isImport = (rule: CSSRule): boolean => 'styleSheet' in rule;
    const imported = [...(imports?.cssRules ?? [])].filter(isImport);
    const texts = [...imported, ...sheet.cssRules].map(({ cssText }) => cssText);
    return texts.join('\n');
  }
}
