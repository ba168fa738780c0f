import type { Fault } from '@app/kernel';
import { releaseElements, runSteps } from '../actions/run-steps.js';
import { SecretMask } from '../actions/secret-mask.js';
import type { Step, TypedText } from '../actions/step.js';
import { isTotpSeed, totpCode } from '../actions/totp.js';
import { secretOrigins, TypedSecrets } from '../actions/typed-secrets.js';
import { cleanPage } from '../pipeline/clean-page.js';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { PageActivity } from '../pipeline/page-activity.js';
import { Flag, Part, TextMap, VariantItems } from '../pipeline/option-fields.js';
import { STEP_VARIANTS, stepFaults, toStep, type ActionStep } from './action-steps.js';
import type { PageChangesOptions } from './page-changes.js';
import { readRecording, Recording, recordingFault } from './recording.js';
import type { TargetOptions } from './target.js';
import { onWaitTimeout, waitBudgetMs, type WaitingOptions } from './waiting.js';

const MAX_STEPS = 30;
const MAX_SECRETS = 20;
const SECRET_NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** A shorter text also stands in a record or an error by chance: replacing it there would reveal it. */
const MIN_SECRET_LENGTH = 4;
const MAX_SECRET_LENGTH = 1_000;

export class ActionsOptions {
  @VariantItems(
    STEP_VARIANTS,
    'Steps that a person would do before the picture, one after the other; docs/actions.md describes them.',
    {
      exposure: 'script',
      maxItems: MAX_STEPS,
      example: [
        { type: 'fill', selector: '#email', value: 'ada@example.com' },
        { type: 'click', selector: 'text/Sign in' },
        { type: 'wait', selector: '.account' },
      ],
      alsoCalled: ['steps', 'scenario', 'interactions'],
    },
  )
  actions: ActionStep[] = [];

  @Part(
    Recording,
    'Instead of `actions`: a recording that Chrome\u2019s DevTools (Recorder) exported as JSON. Steps that a capture cannot do are refused.',
    {
      exposure: 'script',
      check: recordingFault,
      example: { title: 'Menu', steps: [{ type: 'click', selectors: [['#menu']] }] },
    },
  )
  recording?: Recording;

  @TextMap(
    'Passwords and seeds of authenticators by name, for the steps of `actions` that name them. They are typed only into documents of the origin of `url`, or of the origins of the `session`.',
    { exposure: 'secret', check: secretsFault, example: { password: 'correct horse' } },
  )
  secrets: Record<string, string> = {};

  @Flag(
    'Keeps a picture of the window when a step fails, as the file `failure` of the capture. It is not charged, and shows no typed secret.',
    { exposure: 'own' },
  )
  on_failure_picture = false;
}

function secretsFault(secrets: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(secrets);
  if (entries.length > MAX_SECRETS) return `must have at most ${MAX_SECRETS} entries`;
  if (entries.some(([name]) => !SECRET_NAME.test(name))) {
    return 'must have names of 1 to 64 letters, digits, hyphens and underscores';
  }
  const isFitting = ([, value]: readonly [string, string]): boolean =>
    value.length >= MIN_SECRET_LENGTH && value.length <= MAX_SECRET_LENGTH;
  return entries.every(isFitting)
    ? undefined
    : `must have values of ${MIN_SECRET_LENGTH} to ${MAX_SECRET_LENGTH} characters`;
}

type ActionsInPage = ActionsOptions &
  Pick<PageChangesOptions, 'click_selector' | 'js'> &
  Pick<TargetOptions, 'url' | 'html'> &
  WaitingOptions;

/** The steps of a capture, in order. The page is at `url` already: a recording that begins there does not load it again. */
export function stepsOf(options: ActionsOptions & Pick<TargetOptions, 'url'>): readonly Step[] {
  const { actions, recording } = options;
  if (actions.length > 0 || recording === undefined) return actions.map(toStep);
  const { steps } = readRecording(recording);
  const [first, ...others] = steps;
  return first?.work.type === 'navigate' && isSameUrl(first.work.url, options.url) ? others : steps;
}

/** The addresses that the steps of a capture open. */
export function addressesOf(options: ActionsOptions & Pick<TargetOptions, 'url'>): URL[] {
  return stepsOf(options).flatMap(({ work }) => (work.type === 'navigate' ? [new URL(work.url)] : []));
}

function isSameUrl(one: string, other: string | undefined): boolean {
  return other !== undefined && URL.parse(one)?.href === URL.parse(other)?.href;
}

function check(options: ActionsInPage): Fault[] {
  const { actions, recording, secrets, html, click_selector: toClick } = options;
  const steps = stepsOf(options);
  const own = actions.flatMap((step, index) =>
    stepFaults(step).map((fault) => ({ ...fault, pointer: `/actions/${index}${fault.pointer}` })),
  );
  const conflict = (isOne: boolean, name: string, detail: string): Fault[] =>
    isOne ? [{ pointer: `/${name}`, code: 'conflict', detail }] : [];
  const hasBoth = recording !== undefined && actions.length > 0;
  return [
    ...own,
    ...(recording === undefined ? [] : recordingFaults(recording, steps)),
    ...(own.length === 0 ? secretFaults(options, steps) : []),
    ...conflict(hasBoth, 'recording', 'must not be combined with actions'),
    ...conflict(
      steps.length > 0 && toClick !== undefined,
      'click_selector',
      'must not be combined with actions; make it their first step',
    ),
    ...conflict(Object.keys(secrets).length > 0 && html !== undefined, 'secrets', 'needs url, not html'),
  ];
}

function recordingFaults(recording: object, steps: readonly Step[]): readonly Fault[] {
  const { faults } = readRecording(recording);
  if (faults.length > 0 || steps.length <= MAX_STEPS) return faults;
  const detail = `must have at most ${MAX_STEPS} steps that act on the page; keyDown and keyUp count as one each`;
  return [{ pointer: '/recording/steps', code: 'too_many', detail }];
}

/** The secrets that steps name exist, and seeds of authenticators are such. */
function secretFaults({ secrets }: ActionsOptions, steps: readonly Step[]): Fault[] {
  return steps.flatMap(({ work, pointer }): Fault[] => {
    if (work.type !== 'fill' || 'value' in work.text) return [];
    const [field = '', name = ''] = Object.entries(work.text)[0] ?? [];
    const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    if (value === undefined) {
      return [
        {
          pointer: `${pointer}/${field}`,
          code: 'invalid_value',
          detail: 'must be the name of an entry of secrets',
        },
      ];
    }
    if (field !== 'totp' || isTotpSeed(value)) return [];
    const detail = 'must be the Base32 seed of an authenticator, because a step uses it for totp';
    return [{ pointer: `/secrets/${name}`, code: 'invalid_value', detail }];
  });
}

async function prepare(visit: Visit, options: ActionsInPage): Promise<void> {
  if (stepsOf(options).length === 0) return;
  visit.activity ??= new PageActivity();
  // A click on a field for files would otherwise open a dialog that nobody answers.
  await visit.cdp.send('Page.setInterceptFileChooserDialog', { enabled: true });
}

async function settle(visit: Visit, options: ActionsInPage): Promise<void> {
  const steps = stepsOf(options);
  if (steps.length === 0) return;
  // What is open by now has come by itself, unless a script has run.
  if (options.js === undefined) await cleanPage(visit);
  await runSteps(visit, steps, {
    moment: options.wait_until,
    budgetMs: () => waitBudgetMs(visit, options),
    loadMs: options.navigation_timeout_ms,
    onLoadTimeout: (message) => {
      onWaitTimeout(visit, options, message);
    },
    textOf: typing(visit, options.secrets),
  });
  await releaseElements(visit);
}

/** What is typed for a step. From the first secret on, whatever the page says is searched for secrets. */
function typing(visit: Visit, secrets: ActionsOptions['secrets']) {
  const typed = new TypedSecrets();
  const mask = new SecretMask(visit, typed);
  return (text: TypedText): { text: string; onlyFor: readonly string[] | null } => {
    if ('value' in text) return { text: text.value, onlyFor: null };
    const secret = secrets['secret' in text ? text.secret : text.totp] ?? '';
    const value = 'secret' in text ? secret : totpCode(secret, Date.now());
    if (!visit.redact) visit.cleaners.push(mask);
    typed.add(value);
    visit.redact = (shown) => typed.hideIn(shown);
    visit.maskSecrets = () => mask.maskAll();
    return { text: value, onlyFor: secretOrigins(visit) };
  };
}

export const actions = defineFamily<ActionsOptions, ActionsInPage>(
  {
    name: 'actions',
    doc: 'What a person would do on the page before the picture. docs/actions.md has examples.',
  },
  ActionsOptions,
  { check, prepare, settle },
);
