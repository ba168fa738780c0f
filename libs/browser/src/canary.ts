import type { Browser, CDPSession } from 'puppeteer';
import { withTimeout } from '@app/kernel';

/** Chromium opens with one page; it takes some ms to be there. */
const OPEN_TIMEOUT_MS = 5_000;
/** A healthy browser proves itself in 20 to 50 ms, on a machine at its limit in some hundred. */
const PROOF_TIMEOUT_MS = 3_000;

/**
 * An empty page that belongs to no capture and is never navigated. It shows whether its browser still draws.
 *
 * All pages of a browser are drawn by one GPU process. A page that makes it hang, say by a shader without an end, is
 * gone when its capture is over, and its work is not: the pages after it cannot even load. The hang need not show in a
 * picture of a page that was drawn before, so the canary also reads back a pixel that the GPU process must draw first.
 */
export class Canary {
  private constructor(private readonly session: CDPSession) {}

  static async open(browser: Browser): Promise<Canary> {
    const target = await browser.waitForTarget((each) => each.type() === 'page', {
      timeout: OPEN_TIMEOUT_MS,
    });
    return new Canary(await target.createCDPSession());
  }

  /** Resolves when the browser draws; rejects when it does not, or not in time. */
  async prove(): Promise<void> {
    const proof = Promise.all([this.drawPixel(), this.takePicture()]);
    await withTimeout(proof, PROOF_TIMEOUT_MS, 'proving that the browser draws');
  }

  /** Resolves as soon as the browser answers, which it does from memory: no process of a page has a part in it. */
  async answer(): Promise<void> {
    await this.session.send('Target.getTargetInfo');
  }

  private async drawPixel(): Promise<void> {
    const { exceptionDetails } = await this.session.send('Runtime.evaluate', {
      expression: `(${drawPixel.toString()})()`,
    });
    if (exceptionDetails) throw new Error('The GPU process of the browser was restarted.');
  }

  private async takePicture(): Promise<void> {
    const clip = { x: 0, y: 0, width: 1, height: 1, scale: 1 };
    await this.session.send('Page.captureScreenshot', { format: 'png', clip, optimizeForSpeed: true });
  }
}

/** Runs in the canary. Without WebGL no page can use it either, and the picture is the whole proof. */
function drawPixel(): void {
  const world = globalThis as { gl?: WebGLRenderingContext | null };
  world.gl ??= document.createElement('canvas').getContext('webgl', { antialias: false, depth: false });
  const { gl } = world;
  if (!gl) return;
  if (gl.isContextLost()) throw new Error('lost');
  gl.clear(gl.COLOR_BUFFER_BIT);
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
}
