import type { Fault } from '@app/kernel';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { Choice, Flag } from '../pipeline/option-fields.js';
import { FilterStyles } from '../blocking/filter-styles.js';
import { PageActivity } from '../pipeline/page-activity.js';
import type { BlockingOptions } from './blocking.js';
import type { EmulationOptions } from './emulation.js';

const CONSENT = ['reject', 'accept', 'hide'] as const;

export class ConsentOptions {
  @Flag('Removes consent dialogs ("cookie banners"), as `cookie_consent` says. Defaults to `clean`.', {
    exposure: 'public',
    fallback: false,
  })
  block_cookie_banners?: boolean;

  @Choice(
    CONSENT,
    'How consent dialogs are removed. `reject` opts out where the dialog allows it and hides the dialog where it does not; it never consents. `accept` consents. `hide` only hides the dialog.',
    { exposure: 'public' },
  )
  cookie_consent: (typeof CONSENT)[number] = 'reject';
}

type Options = ConsentOptions & Pick<BlockingOptions, 'clean'> & Pick<EmulationOptions, 'javascript'>;

export function removesBanners(options: Options): boolean {
  return options.block_cookie_banners ?? options.clean;
}

function check(options: Options, given: ReadonlySet<string>): Fault[] {
  if (!given.has('cookie_consent') || removesBanners(options)) return [];
  return [{ pointer: '/cookie_consent', code: 'conflict', detail: 'needs block_cookie_banners or clean' }];
}

async function prepare(visit: Visit, options: Options): Promise<void> {
  if (!removesBanners(options)) return;
  visit.activity ??= new PageActivity();
  if (!visit.hideFiltered) await FilterStyles.start(visit);
}

async function settle(visit: Visit, options: Options): Promise<void> {
  if (removesBanners(options)) await removeDialogs(visit, options);
  // It begins at once, because what is hidden moves the rest. `framing` awaits it before the picture.
  void visit.hideFiltered?.();
}

async function removeDialogs(visit: Visit, options: Options): Promise<void> {
  // It loads the rules, which the API does without.
  const { ConsentDialogs } = await import('../consent/consent-dialogs.js');
  const { cookie_consent: choice, javascript: hasScripts } = options;
  const dialogs = new ConsentDialogs(visit, { choice, hasScripts });
  await dialogs.remove();
  // It comes first: a dialog that something else hides cannot be answered any more.
  visit.cleaners.unshift(dialogs);
  // A dialog that the lists hide cannot be answered any more.
  visit.hiddenKinds.push('cookies');
}

export const consent = defineFamily(
  { name: 'consent', doc: 'What happens to consent dialogs.' },
  ConsentOptions,
  { check, prepare, settle },
);
