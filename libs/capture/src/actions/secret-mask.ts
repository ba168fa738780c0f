import type { Visit } from '../pipeline/family.js';
import { frameIdOf, processOf } from '../pipeline/frame-sessions.js';
import { inWorld, openWorld, type InPageWith, type SafeAccess } from '../pipeline/in-page.js';
import type { Cleaner } from '../pipeline/visit-slots.js';
import { shadowRootOf } from './element-look.js';
import { secretOrigins, type TypedSecrets } from './typed-secrets.js';

/** A page with more frames is hostile; the others show no secret that was typed into their origin. */
const MAX_FRAMES = 50;

/** Draws dots instead of the secrets that a page shows, in fields and in its texts, so that no picture has them. */
export class SecretMask implements Cleaner {
  constructor(
    private readonly visit: Visit,
    private readonly secrets: TypedSecrets,
  ) {}

  clean(): Promise<boolean> {
    return this.inFrames(true);
  }

  hasMore(): Promise<boolean> {
    return this.inFrames(false);
  }

  /** @throws Error when the page may still show one */
  async maskAll(): Promise<void> {
    await this.inFrames(true);
    if (await this.inFrames(false)) throw new Error('The page shows a secret.');
  }

  /** Whether a frame shows a secret without dots. A frame that is gone shows none. */
  private async inFrames(masks: boolean): Promise<boolean> {
    const { page, mainFrame } = this.visit;
    const origins = secretOrigins(this.visit);
    const isOwn = (url: string): boolean =>
      !url.startsWith('http') || origins.includes(URL.parse(url)?.origin ?? '');
    const frames = page.frames().filter((frame) => frame === mainFrame || isOwn(frame.url()));
    const script: InPageWith<MaskOrder, boolean> = { run: maskSecrets, uses: [shadowRootOf] };
    const shown = await Promise.allSettled(
      frames.slice(0, MAX_FRAMES).map(async (frame) => {
        const world = await openWorld(processOf(frame), frameIdOf(frame));
        return inWorld(world, script, { secrets: this.secrets.typed, masks });
      }),
    );
    const ofPage = shown[frames.indexOf(mainFrame)];
    if (ofPage?.status === 'rejected') throw ofPage.reason;
    return shown.some((result) => result.status === 'fulfilled' && result.value);
  }
}

interface MaskOrder {
  readonly secrets: readonly string[];
  readonly masks: boolean;
}

/** Runs in the page, its open shadow roots included. */
function maskSecrets({ secrets, masks }: MaskOrder, safe: SafeAccess): boolean {
  const holdsOne = (text: string | null): boolean =>
    text !== null && secrets.some((secret) => text.includes(secret));
  const isMasked = (element: Element): boolean =>
    getComputedStyle(element).getPropertyValue('-webkit-text-security') !== 'none';
  const shown = new Set<HTMLElement>();
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    for (const element of safe(root).querySelectorAll('*')) {
      const inner = shadowRootOf(element);
      if (inner && roots.length < 1_000) roots.push(inner);
      const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
      const texts = isField
        ? [safe(element).value]
        : [...safe(element).childNodes].map((node) => (node instanceof Text ? node.data : null));
      if (!(element instanceof HTMLElement) || !texts.some(holdsOne) || isMasked(element)) continue;
      shown.add(element);
    }
  }
  if (masks)
    for (const each of shown) safe(each).style.setProperty('-webkit-text-security', 'disc', 'important');
  return shown.size > 0;
}
