/** The computed values that decide whether and how something is drawn; empty for a pseudo-element that does not exist. */
export type Look = readonly string[];

/** Runs in the page: reads and compares how elements look. */
export class LookReader {
  /** The first four say how an element is drawn, the others where. */
  private readonly properties = 'opacity visibility clip-path filter transform translate scale rotate'.split(
    ' ',
  );
  private readonly drawing = 4;

  /** The looks of the element, its `::before` and its `::after`. */
  looksOf(element: Element): Look[] {
    return ['', '::before', '::after'].map((pseudo) => this.lookOf(element, pseudo));
  }

  lookOf(element: Element, pseudo = ''): Look {
    const style = getComputedStyle(element, pseudo || null);
    if (pseudo !== '' && (style.content === 'none' || style.content === 'normal')) return [];
    return this.properties.map((name) => style.getPropertyValue(name));
  }

  isShown([opacity, visibility, clip]: Look): boolean {
    const isClipped = /^inset\(.*\b(?:100|[5-9]\d)%/.test(clip ?? '');
    return Number(opacity) >= 0.95 && visibility === 'visible' && !isClipped;
  }

  /** Whether more is shown of an element, or it is nearer to its own place. */
  isBetter(one: Look, other: Look): boolean {
    if (this.isShown(one) !== this.isShown(other)) return this.isShown(one);
    if (!this.isShown(one)) return Number(one[0]) > Number(other[0]);
    return this.displacement(one) < this.displacement(other) - 1;
  }

  /**
   * The styles that give `now` the look of `then`.
   *
   * @param isPlaced whether the element had one place in the window, to which it can be moved back
   */
  difference(now: Look, then: Look, isPlaced: boolean): Record<string, string> | undefined {
    if (now.length === 0 || then.length === 0) return undefined;
    // What was further from its place was on its way.
    const isNearer = isPlaced && this.displacement(then) < this.displacement(now);
    const properties = this.properties.slice(0, isNearer ? this.properties.length : this.drawing);
    const changed = properties.flatMap((name, at): [string, string][] =>
      now[at] === then[at] ? [] : [[name, then[at] ?? '']],
    );
    const styles: Record<string, string> = Object.fromEntries(changed);
    return changed.length === 0 ? undefined : { ...styles, transition: 'none' };
  }

  /** How far a look moves, turns and scales its element, as one number. */
  private displacement(look: Look): number {
    const [transform = 'none', translate = '', scale = '', rotate = ''] = look.slice(this.drawing);
    const { a, b, c, d, e, f } = new DOMMatrixReadOnly(transform);
    const sum = (value: string, none: number): number =>
      (value.match(/-?[\d.]+/g) ?? []).reduce((total, each) => total + Math.abs(Number(each) - none), 0);
    const moved = Math.abs(e) + Math.abs(f) + sum(translate, 0);
    const changed = Math.abs(a - 1) + Math.abs(d - 1) + Math.abs(b) + Math.abs(c) + sum(scale, 1);
    return moved + 500 * changed + sum(rotate, 0);
  }
}
