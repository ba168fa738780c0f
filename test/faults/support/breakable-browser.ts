import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { browserGroups } from './process-state.js';
import { temporaryPrefix } from './servers.js';
import type { Member } from './world.js';

/** A browser that a test can keep from starting: a script that runs the real one, and whose execute permission it removes. */
export class BreakableBrowser {
  private readonly folder = mkdtempSync(temporaryPrefix('browser'));
  private readonly program = path.join(this.folder, 'browser');

  constructor() {
    const script = `#!/bin/sh\nexec "${process.env.PUPPETEER_EXECUTABLE_PATH}" "$@"\n`;
    writeFileSync(this.program, script, { mode: 0o755 });
  }

  get settings(): Record<string, string> {
    return { PUPPETEER_EXECUTABLE_PATH: this.program };
  }

  /** Kills the running browsers; no other one starts until `repair`. */
  async break(worker: Member): Promise<void> {
    await chmod(this.program, 0o000);
    for (const group of browserGroups(worker.pid)) process.kill(-group, 'SIGKILL');
  }

  async repair(): Promise<void> {
    await chmod(this.program, 0o755);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
