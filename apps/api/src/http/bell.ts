/** Wakes one waiter; a ring while nobody waits is kept, several count as one. */
export class Bell {
  private hasRung = false;
  private wake: (() => void) | undefined;

  readonly ring = (): void => {
    this.hasRung = true;
    this.wake?.();
  };

  /** Resolves at the next ring, or when `signal` aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', this.ring);
    if (!this.hasRung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    signal.removeEventListener('abort', this.ring);
    this.hasRung = false;
  }
}
