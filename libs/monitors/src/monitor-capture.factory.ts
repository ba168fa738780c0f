import { Injectable } from '@nestjs/common';
import { comparedKindOf, RESULT, restoreOptions, type CaptureOptions, type Format } from '@app/capture';
import { NewJobFactory, type NewJob } from '@app/jobs';
import { SecretBox } from '@app/kernel';
import type { MonitorPage } from './monitor-page.entity.js';
import type { AlertRules } from './monitor-state.js';

/**
 * How much the colour of a pixel may differ: less than a comparison that a caller asks for allows, because pages of monitors are
 * captured twice before a change is reported. It shows a tint from #fff to #fafafa; docs/monitors.md has what others miss.
 */
const THRESHOLD = 0.01;

/** A page that is captured, what it is compared with, and for what. */
export interface PageCapture {
  readonly page: MonitorPage;
  readonly rules: AlertRules;
  /** The capture of the same moment, when this one is to confirm what it showed. */
  readonly confirms?: string;
}

/** Makes the captures of monitors. */
@Injectable()
export class MonitorCaptureFactory {
  constructor(
    private readonly jobs: NewJobFactory,
    private readonly secretBox: SecretBox,
  ) {}

  /** @throws AppError `target_forbidden`, `secrets_unreadable`, `unavailable` */
  make(capture: PageCapture): NewJob {
    const { accountId } = capture.page;
    const origin = { accountId, source: 'job', webhookUrl: null, requestId: null } as const;
    return this.jobs.make({ ...origin, batchId: null, batchRow: null }, this.optionsOf(capture));
  }

  /** Prepares `make`. */
  refresh(): Promise<void> {
    return this.jobs.refresh();
  }

  private optionsOf({ page, rules, confirms }: PageCapture): CaptureOptions {
    const { id, options, secrets, baselineId } = page;
    const own = {
      ...withText(options),
      // The text of the first capture is remembered as well, so that later ones can be compared with it.
      compare_with: baselineId ?? confirms ?? 'previous',
      compare_threshold: THRESHOLD,
      compare_ignore_selectors: rules.ignore_selectors,
      ...(confirms !== undefined && { compare_confirms: confirms }),
    };
    return restoreOptions(own, secrets && this.secretBox.open(secrets, id));
  }
}

type PageOptions = Readonly<Record<string, unknown>>;

/** Whether a page with these options is compared by its one picture. */
export function comparesPictures({ outputs, format = 'png' }: PageOptions): boolean {
  return outputs === undefined && comparedKindOf(format as Format) === 'picture';
}

/** A picture gets the text of its page beside it, so that words can describe a change. */
function withText(options: PageOptions): PageOptions {
  if (!comparesPictures(options)) return options;
  return {
    ...options,
    outputs: [
      { name: RESULT, format: options.format ?? 'png' },
      { name: 'text', format: 'text' },
    ],
  };
}
