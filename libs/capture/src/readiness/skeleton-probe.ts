import type { Motion, MotionReader } from './motion-reader.js';
import type { WindowReader } from './window-reader.js';

interface Skeletons {
  readonly elements: readonly Element[];
  /** They take up a good part of the window. */
  readonly areLarge: boolean;
}

/**
 * Runs in the page, in the isolated world of `inPage`. Finds skeletons by what they do, because build tools take their names away:
 * grey boxes in the flow of the page, without words and pictures, that shine or pulse endlessly.
 */
export class SkeletonProbe {
  constructor(
    private readonly reader: WindowReader,
    private readonly motions: MotionReader,
  ) {}

  find(endless: readonly Motion[], isBare: boolean): Skeletons {
    const boxes = new Set(endless.slice(0, 100).flatMap((motion) => this.boxOf(motion) ?? []));
    const leaves = new Set(
      [...boxes].filter((box) => this.isBox(box)).flatMap((box) => this.greyLeaves(box)),
    );
    const areas = [...leaves].map((leaf) => this.areaOf(leaf));
    const area = areas.reduce((sum, each) => sum + each, 0);
    const drawn = this.drawn();
    // One alone may be a line or a mark, where there is more; several, or a large one, hold the place of content.
    const areSkeletons = area >= 20_000 || (area >= 4_000 && (leaves.size >= 2 || isBare));
    const areLarge = leaves.size >= 3 && area >= (innerWidth * innerHeight) / 20;
    return { elements: areSkeletons ? [...leaves, ...drawn] : drawn, areLarge: areLarge || drawn.length > 0 };
  }

  /** The box that an animation makes shine: its target, or what clips a bar that sweeps through it. */
  private boxOf(motion: Motion): Element | undefined {
    const { target, effect } = motion;
    const properties = this.motions.propertiesOf(motion);
    const fades = properties.every((name) =>
      /^(opacity|filter|background|mask|webkitMask|border\w*Color)/.test(name),
    );
    if (effect.pseudoElement !== null || fades) return target;
    const parent = this.reader.safe(target).parentElement;
    const sweeps = properties.every((name) =>
      /^(transform|translate|left|right|inset|margin|opacity)/.test(name),
    );
    return sweeps && parent && getComputedStyle(parent).overflowX !== 'visible' ? parent : undefined;
  }

  private isBox(box: Element): boolean {
    const { position } = getComputedStyle(box);
    const { body, documentElement } = this.reader.safe(document);
    return (
      // What is taken out of the flow lies behind or above the content.
      position !== 'absolute' &&
      position !== 'fixed' &&
      box !== body &&
      box !== documentElement &&
      this.reader.isVisible(box, 200) &&
      !this.reader.showsWords(box) &&
      !this.reader.showsMedia(box)
    );
  }

  /** The innermost elements of a box that are painted; none when one of them is coloured or has a picture. */
  private greyLeaves(box: Element): Element[] {
    const painted: Element[] = [];
    const outer = new Set<Element>();
    for (const each of [box, ...this.reader.find('*', box)]) {
      const paints = this.paintsOf(each);
      if (!paints.every((paint) => this.reader.isGrey(paint))) return [];
      if (paints.length === 0) continue;
      painted.push(each);
      for (let around = each; around !== box;) {
        const parent = this.reader.safe(around).parentElement;
        if (!parent || outer.has(parent)) break;
        outer.add(parent);
        around = parent;
      }
    }
    return painted.filter((each) => !outer.has(each) && this.isLeaf(each));
  }

  private isLeaf(element: Element): boolean {
    const { width, height } = this.reader.safe(element).getBoundingClientRect();
    return width >= 20 && height >= 6 && this.areaOf(element) >= 200 && this.reader.isUppermost(element);
  }

  /** The colours of its background. */
  private paintsOf(element: Element): string[] {
    const { backgroundColor, backgroundImage } = getComputedStyle(element);
    const colours = backgroundImage.match(/url\(|\w+\([^()]*\)/g) ?? [];
    return [backgroundColor, ...colours].filter((each) => each === 'url(' || this.reader.opacityOf(each) > 0);
  }

  /** The part of its area in the window, in px². */
  private areaOf(element: Element): number {
    const { top, left, bottom, right } = this.reader.safe(element).getBoundingClientRect();
    const width = Math.min(right, innerWidth) - Math.max(left, 0);
    const height = Math.min(bottom, innerHeight) - Math.max(top, 0);
    return Math.max(0, width) * Math.max(0, height);
  }

  /** SVG skeletons: a rectangle filled with a gradient that is animated by elements of its own. */
  private drawn(): Element[] {
    const stops = this.reader.find('svg linearGradient animate[repeatCount="indefinite"]');
    const drawings = new Set(stops.flatMap((each) => (each as SVGElement).ownerSVGElement ?? []));
    return [...drawings].filter((svg) => {
      const colours = this.reader.find('stop', svg).map((stop) => getComputedStyle(stop).stopColor);
      const isSkeleton =
        colours.every((colour) => this.reader.isGrey(colour)) && !this.reader.showsWords(svg);
      return isSkeleton && this.reader.isVisible(svg, 4_000);
    });
  }
}
