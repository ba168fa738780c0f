import type { Frame } from 'puppeteer';
import type { Visit } from '../pipeline/family.js';
import { frameIdOf, processOf } from '../pipeline/frame-sessions.js';
import { openWorld, worldOfPage, type IsolatedWorld } from '../pipeline/in-page.js';
import { findElement } from './find-element.js';
import { OBJECT_GROUP, type PageElement } from './page-element.js';
import { StepProblem } from './problem.js';
import type { FramePath } from './step.js';

/** The document that a step is about, in whichever process it runs. */
export interface StepFrame {
  readonly world: IsolatedWorld;
  /** The elements that embed it, from the innermost frame to the page. */
  readonly owners: readonly PageElement[];
}

/** @throws StepProblem `no_frame`, `unknown_selector`; ProtocolError when a document is gone */
export async function openFrame(visit: Visit, path: FramePath | undefined): Promise<StepFrame> {
  if (path === undefined) return { world: await worldOfPage(visit), owners: [] };
  const frame = 'selector' in path ? await frameBy(visit, path.selector) : frameAt(visit, path.indexes);
  return { world: await worldOf(visit, frame), owners: await ownersOf(visit, frame) };
}

function worldOf(visit: Visit, frame: Frame): Promise<IsolatedWorld> {
  return frame === visit.mainFrame ? worldOfPage(visit) : openWorld(processOf(frame), frameIdOf(frame));
}

async function frameBy(visit: Visit, selector: string): Promise<Frame> {
  const world = await worldOfPage(visit);
  const found = await findElement(world, [selector]);
  if (!found) throw new StepProblem('no_frame', `no iframe matches ${selector}`);
  const { node } = await world.cdp.send('DOM.describeNode', { objectId: found.objectId });
  const frame = visit.page.frames().find((each) => frameIdOf(each) === node.frameId);
  if (!frame) throw new StepProblem('no_frame', `the element that matches ${selector} is no iframe`);
  return frame;
}

function frameAt(visit: Visit, indexes: readonly number[]): Frame {
  let frame = visit.mainFrame;
  for (const index of indexes) {
    const inner = frame.childFrames()[index];
    if (!inner) throw new StepProblem('no_frame', `the page has no frame at ${indexes.join(' > ')}`);
    frame = inner;
  }
  return frame;
}

async function ownersOf(visit: Visit, frame: Frame): Promise<PageElement[]> {
  const owners: PageElement[] = [];
  for (let inner = frame, outer = frame.parentFrame(); outer; inner = outer, outer = outer.parentFrame()) {
    const world = await worldOf(visit, outer);
    const { backendNodeId } = await world.cdp.send('DOM.getFrameOwner', { frameId: frameIdOf(inner) });
    const { object } = await world.cdp.send('DOM.resolveNode', {
      backendNodeId,
      executionContextId: world.executionContextId,
      objectGroup: OBJECT_GROUP,
    });
    owners.push({ world, objectId: object.objectId ?? '' });
  }
  return owners;
}
