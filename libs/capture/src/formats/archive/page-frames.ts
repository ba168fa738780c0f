import type { CDPSession, Protocol } from 'puppeteer';
import type { Visit } from '../../pipeline/family.js';
import { openWorld, type IsolatedWorld } from '../../pipeline/in-page.js';
import { withDeadline } from '../../pipeline/wait.js';

/** A page with more frames is hostile; the others are left out. */
const MAX_FRAMES = 100;
/** Maximum time of a process for each answer. */
const ANSWER_MS = 2_000;

/** As a document of its own, a drawing fills its frame. It is a resource of the page under its address. */
export const SVG = 'image/svg+xml';

/** A frame of the page with the isolated world of its document. */
export interface PageFrame {
  readonly id: string;
  readonly url: string;
  readonly mimeType: string;
  readonly world: IsolatedWorld;
  /** The id of its document in the archive. */
  readonly contentId: string;
}

interface FoundFrame {
  readonly frame: Protocol.Page.Frame;
  readonly cdp: CDPSession;
}

/**
 * The frames of the page, in whichever process they run, the page itself first. Each knows which of its elements show which
 * other frames. One that does not answer is left out.
 */
export async function openFrames(visit: Visit): Promise<PageFrame[]> {
  const frames = new Map<string, PageFrame>();
  for (const { frame, cdp } of await findFrames(visit)) {
    const contentId = `frame-${frames.size}@page`;
    const opening = openFrame({ frame, cdp }, { contentId, parent: frames.get(frame.parentId ?? '') });
    // The page itself has the whole time of the capture.
    const opened = frames.size === 0 ? await opening : await answerOf(opening);
    if (opened) frames.set(frame.id, opened);
  }
  return [...frames.values()];
}

async function findFrames(visit: Visit): Promise<FoundFrame[]> {
  const sessions: CDPSession[] = [];
  const following = visit.frameSessions.follow(({ cdp, frameId }) => {
    if (frameId !== undefined) sessions.push(cdp);
    return Promise.resolve();
  });
  await answerOf(following);
  const trees = await Promise.all(
    sessions.map(async (cdp) => {
      const asking = cdp.send('Page.getFrameTree');
      const tree = cdp === visit.cdp ? await asking : await answerOf(asking);
      return tree ? framesIn(tree.frameTree).map((frame) => ({ frame, cdp })) : [];
    }),
  );
  return trees.flat().slice(0, MAX_FRAMES);
}

/** Undefined when the process is gone or does not answer in time. */
function answerOf<T>(asking: Promise<T>): Promise<T | undefined> {
  const deadline = { until: performance.now() + ANSWER_MS, message: 'a frame' };
  return withDeadline(deadline, asking).catch(() => undefined);
}

function framesIn({ frame, childFrames = [] }: Protocol.Page.FrameTree): Protocol.Page.Frame[] {
  return [frame, ...childFrames.flatMap(framesIn)];
}

async function openFrame(
  { frame, cdp }: FoundFrame,
  { contentId, parent }: { readonly contentId: string; readonly parent: PageFrame | undefined },
): Promise<PageFrame> {
  const world = await openWorld(cdp, frame.id);
  if (parent && frame.mimeType !== SVG) await nameOwner(parent.world, frame.id, contentId);
  return { id: frame.id, url: frame.url, mimeType: frame.mimeType, world, contentId };
}

/** Notes in the world of the document around a frame which element shows it. */
async function nameOwner(
  { cdp, executionContextId }: IsolatedWorld,
  frameId: string,
  contentId: string,
): Promise<void> {
  const { backendNodeId } = await cdp.send('DOM.getFrameOwner', { frameId });
  const { object } = await cdp.send('DOM.resolveNode', { backendNodeId, executionContextId });
  await cdp.send('Runtime.callFunctionOn', {
    executionContextId,
    functionDeclaration: String(keepFrame),
    arguments: [{ objectId: object.objectId }, { value: `cid:${contentId}` }],
  });
}

/** Runs in the page. */
function keepFrame(element: Element, url: string): void {
  const world = globalThis as unknown as Record<symbol, Map<Element, string> | undefined>;
  (world[Symbol.for('frames')] ??= new Map()).set(element, url);
}
