import { Injectable } from '@nestjs/common';
import {
  addressesOf,
  captureKeyOf,
  filesOfOutputs,
  neededFeatures,
  splitSecrets,
  storedOptions,
  type CaptureOptions,
} from '@app/capture';
import { AppError, newId, SecretBox } from '@app/kernel';
import { EgressGuard } from '@app/outbound';
import { SessionUsesService } from '@app/sessions';
import { traceContext } from '@app/tracing';
import { otherExtensionsOf } from '../job/result-files.js';
import { CacheDemandService } from '../cache/cache-demand.service.js';
import { EngineVersionsService } from '../workers/engine-versions.service.js';
import type { JobOrigin, NewJob } from './new-job.js';

/** Makes jobs of valid options: it admits their targets and seals their secrets. */
@Injectable()
export class NewJobFactory {
  constructor(
    private readonly guard: EgressGuard,
    private readonly secretBox: SecretBox,
    private readonly cache: CacheDemandService,
    private readonly workers: EngineVersionsService,
    private readonly sessions: SessionUsesService,
  ) {}

  /** @throws AppError `target_forbidden`; `unavailable` when no worker knows its options */
  make(origin: JobOrigin, options: CaptureOptions): NewJob {
    const id = newId();
    const url = options.url === undefined ? null : new URL(options.url);
    // A page given as `html` gets the origin of its base_url, which is therefore a target as well.
    const target = url ?? (options.base_url === undefined ? null : new URL(options.base_url));
    if (target) this.guard.admit(target);
    for (const address of addressesOf(options)) this.guard.admit(address);
    const { stored, defaultNames } = storedOptions(options);
    const needs = this.needsOf(stored);
    const { open, secrets } = splitSecrets(stored);
    const outputs = filesOfOutputs(options);
    return {
      ...origin,
      id,
      url: url?.href ?? null,
      host: url?.hostname ?? null,
      format: outputs[0].format,
      otherExtensions: otherExtensionsOf(options, outputs),
      options: open,
      defaultNames: defaultNames.length > 0 ? [...defaultNames] : null,
      secrets: secrets && this.secretBox.seal(secrets, id),
      reference: options.reference ?? null,
      needs,
      timeoutMs: options.timeout_ms,
      captureKey: captureKeyOf(options, (text) => this.secretBox.digest(text)),
      cache: this.cache.read(origin.accountId, options),
      traceContext: traceContext(),
    };
  }

  private needsOf(stored: Readonly<Record<string, unknown>>): string[] | null {
    const needs = neededFeatures(stored);
    const missing = this.workers.missingFeatures(needs ?? []);
    if (missing.length === 0) return needs;
    const detail = `No running worker knows ${missing.join(', ')} yet, because the service is being upgraded.`;
    throw new AppError('unavailable', { detail });
  }

  /** Prepares `make` for any options that are bound to their sessions: see `EngineVersionsService.refresh`. */
  refresh(): Promise<void> {
    return this.workers.refresh();
  }

  /**
   * Prepares `make` for these options, and binds them to the session that they name.
   *
   * @throws AppError as `SessionUsesService.bind` does
   */
  async prepare(accountId: string, options: CaptureOptions): Promise<void> {
    await this.refresh();
    await this.sessions.bind(accountId, options);
  }
}
