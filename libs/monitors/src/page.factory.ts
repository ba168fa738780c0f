import { Injectable } from '@nestjs/common';
import { splitSecrets, storedOptions, type CaptureOptions } from '@app/capture';
import { AppError, newId, SecretBox } from '@app/kernel';
import { NewJobFactory } from '@app/jobs';
import type { Monitor } from './monitor.entity.js';
import type { MonitorTarget } from './monitor-request.js';
import type { NewPage } from './monitor.repository.js';

/** Makes the pages of monitors: it admits their addresses and seals their secrets. */
@Injectable()
export class PageFactory {
  constructor(
    private readonly jobs: NewJobFactory,
    private readonly secretBox: SecretBox,
  ) {}

  /** @throws AppError `target_forbidden`, those of the session; `unavailable` when no worker knows the options */
  async makeAll(
    { id: monitorId, accountId }: Pick<Monitor, 'id' | 'accountId'>,
    target: MonitorTarget,
  ): Promise<NewPage[]> {
    for (const page of target.pages.keys()) await this.prepare(accountId, target, page);
    return target.pages.map((options, i) => {
      const origin = { accountId, source: 'job', webhookUrl: null, requestId: null } as const;
      // A capture that is refused now would be refused at every instant.
      this.jobs.make({ ...origin, batchId: null, batchRow: null }, options);
      return this.pageOf({ monitorId, accountId, page: i + 1 }, options);
    });
  }

  /** Binds the options of a page to the session that they name. */
  private async prepare(accountId: string, { isBatch, pages }: MonitorTarget, page: number): Promise<void> {
    const options = pages[page];
    if (!options) return;
    try {
      await this.jobs.prepare(accountId, options);
    } catch (error) {
      throw prefixPointers(isBatch ? `/batch/items/${page}` : '/capture', error);
    }
  }

  private pageOf(place: Pick<NewPage, 'monitorId' | 'accountId' | 'page'>, options: CaptureOptions): NewPage {
    const id = newId();
    const { stored, defaultNames } = storedOptions(options);
    const { open, secrets } = splitSecrets(stored);
    return {
      ...place,
      id,
      options: open,
      defaultNames: defaultNames.length > 0 ? [...defaultNames] : null,
      secrets: secrets && this.secretBox.seal(secrets, id),
    };
  }
}

/** An error of options as an error of the body that holds them. */
function prefixPointers(pointer: string, thrown: unknown): unknown {
  if (!(thrown instanceof AppError) || !thrown.facts.errors) return thrown;
  const errors = thrown.facts.errors.map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` }));
  return new AppError(thrown.code, { ...thrown.facts, errors });
}

/** The host of the first page that has one. */
export function hostOf({ pages }: MonitorTarget): string | null {
  const url = pages.find((options) => options.url !== undefined)?.url;
  return url === undefined ? null : new URL(url).hostname;
}
