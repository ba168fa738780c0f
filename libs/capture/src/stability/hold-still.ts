import { setTimeout as delay } from 'node:timers/promises';
import type { EveryFrame } from '../pipeline/every-frame.js';
import type { SafeAccess } from '../pipeline/in-page.js';

/** Ending an animation takes time. Further ones of a document stop where they are. */
const MAX_ANIMATIONS = 20_000;
const LOOK_MS = 20;
/** Ten seconds of an animation pass in 20 ms. */
const RUSH_RATE = 500;
const RUSH_MS = 20;

/**
 * Brings what moves by itself in all frames to a fixed point, and turns the scripts of the page off.
 *
 * Animations and transitions that end are ended. Endless ones are removed, as Playwright does, or held at their first frame if
 * the element would be invisible without them. Media go back to their start, which is waited for until `until`; the caret
 * disappears. An animated image goes on.
 */
export async function holdStill(frames: EveryFrame, until: number): Promise<void> {
  await frames.run({ run: holdAnimations, uses: [openRoots] }, MAX_ANIMATIONS);
  await frames.send((cdp) => cdp.send('Emulation.setScriptExecutionDisabled', { value: true }));
  // Again, because scripts may have reacted to the end of an animation.
  await frames.run({ run: holdAnimations, uses: [openRoots] }, MAX_ANIMATIONS);
  let waiting = await frames.run({ run: holdContent, uses: [openRoots] }, true);
  while (waiting.some((media) => media > 0) && performance.now() < until) {
    await delay(LOOK_MS);
    waiting = await frames.run({ run: holdContent, uses: [openRoots] }, false);
  }
  // Transitions out of reach end, such as those of the controls of a video; endless animations out of reach at least stop.
  await frames.send((cdp) => cdp.send('Animation.setPlaybackRate', { playbackRate: RUSH_RATE }));
  await delay(RUSH_MS);
  await frames.send((cdp) => cdp.send('Animation.setPlaybackRate', { playbackRate: 0 }));
}

/** Runs in the page. The document and all open shadow roots in it. */
function openRoots(page: Document): (Document | ShadowRoot)[] {
  const shadow = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot') as {
    get: () => ShadowRoot | null;
  };
  const roots: (Document | ShadowRoot)[] = [page];
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      const inside = shadow.get.call(element);
      if (inside) roots.push(inside);
    }
  }
  return roots;
}

/** Runs in the page. Animations that are paused, have a rate of 0 or are driven by the scroll position stand still by themselves. */
function holdAnimations(maxAnimations: number, safe: SafeAccess): void {
  const roots = openRoots(safe(document));
  for (const root of roots) {
    for (const svg of root.querySelectorAll('svg')) {
      if (svg.ownerSVGElement) continue;
      svg.pauseAnimations();
      svg.setCurrentTime(0);
    }
  }
  const endless: Animation[] = [];
  for (const animation of roots.flatMap((root) => root.getAnimations()).slice(0, maxAnimations)) {
    const { playState, timeline, effect, playbackRate } = animation;
    if (playState !== 'running' || playbackRate === 0 || !(timeline instanceof DocumentTimeline)) continue;
    if (effect?.getComputedTiming().endTime === Infinity) endless.push(animation);
    else animation.finish();
  }
  for (const animation of endless) animation.cancel();
  const hidden = endless.filter(({ effect }) => {
    const { target = null, pseudoElement = null } = effect instanceof KeyframeEffect ? effect : {};
    return target && getComputedStyle(target, pseudoElement).opacity === '0';
  });
  for (const animation of hidden) {
    animation.pause();
    animation.currentTime = 0;
  }
}

/** Runs in the page, once its scripts are off. Returns the number of media that do not show their start yet. */
function holdContent(isFirst: boolean, safe: SafeAccess): number {
  const sheet = new CSSStyleSheet();
  // Important rules of a layer win against important rules of the page outside a layer, whatever their selectors.
  sheet.replaceSync('@layer { * { caret-color: transparent !important } }');
  // Formats that write the DOM leave it out.
  const world = globalThis as unknown as Record<symbol, WeakSet<object> | undefined>;
  (world[Symbol.for('own')] ??= new WeakSet()).add(sheet);
  let waiting = 0;
  for (const root of openRoots(safe(document))) {
    if (isFirst) root.adoptedStyleSheets.push(sheet);
    // Only the focused element has a caret. Its own important style still wins against the sheet.
    const focused = root.activeElement;
    if (focused instanceof HTMLElement && getComputedStyle(focused).caretColor !== 'rgba(0, 0, 0, 0)')
      focused.style.setProperty('caret-color', 'transparent', 'important');
    for (const marquee of isFirst ? root.querySelectorAll<HTMLMarqueeElement>('marquee') : []) {
      // A new one that is stopped before it has moved shows its text in place.
      const still = marquee.cloneNode(true) as HTMLMarqueeElement;
      marquee.replaceWith(still);
      still.stop();
    }
    for (const media of root.querySelectorAll<HTMLMediaElement>('video, audio')) {
      media.pause();
      if (media.currentTime > 0) media.currentTime = 0;
      const { networkState, readyState, seeking } = media;
      const hasPoster = !(media instanceof HTMLVideoElement) || media.poster !== '';
      const isLoading = networkState === media.NETWORK_LOADING && readyState < media.HAVE_CURRENT_DATA;
      if (seeking || (isLoading && !hasPoster)) waiting += 1;
    }
  }
  return waiting;
}
