import type { CDPSession } from 'puppeteer';

/**
 * Notices that the GPU process of a browser was restarted. One such process draws all pages of a browser. Chromium starts
 * another one when it crashes, but then refuses WebGL to the sites that were open, also in later captures.
 */
export class GpuProcess {
  private pid?: number;

  /** @param session of the browser itself, not of a page */
  constructor(private readonly session: CDPSession) {}

  /** Rejects when the process is not the one of the first check. */
  async check(): Promise<void> {
    const { processInfo } = await this.session.send('SystemInfo.getProcessInfo');
    const pid = processInfo.find(({ type }) => type === 'GPU')?.id;
    if (pid === undefined) return;
    this.pid ??= pid;
    if (pid !== this.pid) throw new Error('The GPU process of the browser was restarted.');
  }
}
