import type { Browser, CDPSession } from 'puppeteer';
import { withTimeout } from '@app/kernel';

/** Chromium starts with one page, which takes some ms to appear. */
const OPEN_TIMEOUT_MS = 5_000;
/** A healthy browser takes 20 to 50 ms, and some hundred on a machine at its limit. */
const PROBE_TIMEOUT_MS = 3_000;

/**
 * An empty page, which belongs to no capture and is never navigated, shows whether the browser still draws.
 *
 * One GPU process draws all pages of a browser. A page that makes it hang, for example by an endless shader, is closed with
 * its capture, but the work goes on: later pages cannot even load. A picture of a page that was drawn before may not show
 * this, so the canary also reads back a pixel that the GPU process must draw first.
 */
export class Canary {
  private constructor(private readonly session: CDPSession) {}

  static async open(browser: Browser): Promise<Canary> {
    const target = await browser.waitForTarget((each) => each.type() === 'page', {
      timeout: OPEN_TIMEOUT_MS,
    });
    return new Canary(await target.createCDPSession());
  }

  /** Resolves when the browser draws, and rejects when it fails or takes too long. */
  async probe(): Promise<void> {
    const drawing = Promise.all([this.drawPixel(), this.takePicture()]);
    await withTimeout(drawing, PROBE_TIMEOUT_MS, 'drawing in the browser');
  }

  /** Resolves when the browser process answers, which it does from memory, without the process of any page. */
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

/** Runs in the canary. Where WebGL is not available no page can use it either, and the picture suffices. */
function drawPixel(): void {
  const world = globalThis as { gl?: WebGLRenderingContext | null };
  world.gl ??= document.createElement('canvas').getContext('webgl', { antialias: false, depth: false });
  const { gl } = world;
  if (!gl) return;
  if (gl.isContextLost()) throw new Error('lost');
  gl.clear(gl.COLOR_BUFFER_BIT);
  gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
}
