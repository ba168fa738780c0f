import { Logger } from '@nestjs/common';
import { withTimeout } from '@app/kernel';
import type { NameServers } from './name-servers.js';
import { Resolver, UnknownNameError } from './resolver.js';

/** After this time without an answer the lookup of a name has failed. */
const RESOLVE_TIMEOUT_MS = 5_000;
/** A check counts for so long. */
const CHECK_EVERY_MS = 1_000;

/** No name server answers, whatever the name; nothing on the web can be reached by name. */
export class NameServersAwayError extends Error {
  override readonly name = 'NameServersAwayError';
}

/**
 * Knows whether the name servers answer. A lookup that fails without an answer may be the fault of the domain, so that the name
 * servers are checked then. While names resolve, nothing is checked.
 */
export class WatchedResolver extends Resolver {
  private readonly logger = new Logger(WatchedResolver.name);
  private checkedAt = -Infinity;
  private checking: Promise<void> | undefined;
  private fault: Error | undefined;

  constructor(
    private readonly resolver: Resolver,
    private readonly servers: Pick<NameServers, 'check'>,
  ) {
    super();
  }

  get areServersAway(): boolean {
    return this.fault !== undefined;
  }

  /** @throws UnknownNameError, NameServersAwayError, or another error when only this name could not be resolved */
  async resolve(host: string): Promise<string[]> {
    try {
      return await withTimeout(this.resolver.resolve(host), RESOLVE_TIMEOUT_MS, 'resolving a name');
    } catch (error) {
      if (error instanceof UnknownNameError) throw error;
      await this.check();
      throw this.fault ?? error;
    }
  }

  /** Checks name servers that were away, at most once a second; callers call it repeatedly. */
  recheck(): void {
    if (this.areServersAway) void this.check();
  }

  /** Resolves unless the name servers were away when they were needed last. */
  answers(): Promise<void> {
    return this.fault ? Promise.reject(this.fault) : Promise.resolve();
  }

  /** Never rejects. */
  private async check(): Promise<void> {
    if (performance.now() - this.checkedAt < CHECK_EVERY_MS) return;
    this.checking ??= this.servers
      .check()
      .then(
        () => this.note(undefined),
        (cause: unknown) => this.note(new NameServersAwayError('No name server answers.', { cause })),
      )
      .finally(() => {
        this.checking = undefined;
        this.checkedAt = performance.now();
      });
    await this.checking;
  }

  private note(fault: Error | undefined): void {
    const wasAway = this.areServersAway;
    this.fault = fault;
    if (fault && !wasAway) {
      this.logger.warn({ err: fault }, 'no name server answers; jobs and batches wait until one does');
    }
    if (!fault && wasAway) this.logger.warn('a name server answers again');
  }
}
