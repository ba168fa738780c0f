import type { Hit, WindowReader } from './window-reader.js';

/** An animation that runs. */
export interface Motion {
  readonly target: Element;
  readonly effect: KeyframeEffect;
  /** The name of its keyframes; empty when a script has made it. */
  readonly name: string;
  /** Duration of one round in ms. */
  readonly roundMs: number;
  /** Time until it ends in ms; Infinity for one that is endless. */
  readonly leftMs: number;
}

/** Runs in the page, in the isolated world of `inPage`. Reads the animations that run. */
export class MotionReader {
  constructor(private readonly reader: WindowReader) {}

  /** Those of the document, without its shadow roots. */
  ofDocument(): Motion[] {
    return this.read(this.reader.safe(document));
  }

  /** Those of the shadow roots that the window shows. */
  ofShadowRoots(hits: readonly Hit[]): Motion[] {
    const roots = new Set(hits.map(({ element }) => this.reader.safe(element).getRootNode()));
    return [...roots].flatMap((root) => (root instanceof ShadowRoot ? this.read(root) : []));
  }

  /** The properties that an animation changes, in camel case. */
  propertiesOf({ effect }: Motion): string[] {
    const names = new Set(effect.getKeyframes().flatMap((frame) => Object.keys(frame)));
    for (const other of ['offset', 'computedOffset', 'easing', 'composite']) names.delete(other);
    return [...names];
  }

  isTurning({ effect }: Motion): boolean {
    return effect
      .getKeyframes()
      .some(({ transform, rotate }) => rotate !== undefined || /rotate/.test(String(transform)));
  }

  /** Whether an animation uncovers a text in steps, as if it were typed, and ends within `withinMs`. */
  isUncoveringText(motions: readonly Motion[], withinMs: number): boolean {
    return motions.some((motion) => {
      if (motion.leftMs > withinMs) return false;
      const { effect, target } = motion;
      const hasSteps = effect
        .getKeyframes()
        .some(({ easing }) => Number(/^steps\((\d+)/.exec(easing)?.[1]) > 4);
      if (
        !hasSteps ||
        !this.propertiesOf(motion).some((name) => /width|inlineSize|clipPath|^left$/i.test(name))
      )
        return false;
      return this.reader.isVisible(target, 0) && this.reader.textOf(target, 1) !== '';
    });
  }

  private read(root: DocumentOrShadowRoot): Motion[] {
    return root
      .getAnimations()
      .slice(0, 500)
      .flatMap((animation) => {
        const { effect, playState, currentTime } = animation;
        if (playState !== 'running' || !(effect instanceof KeyframeEffect) || !effect.target) return [];
        const { endTime, duration } = effect.getComputedTiming();
        const name = animation instanceof CSSAnimation ? animation.animationName : '';
        const leftMs = Number(endTime) - Number(currentTime);
        return [{ target: effect.target, effect, name, roundMs: Number(duration), leftMs }];
      });
  }
}
