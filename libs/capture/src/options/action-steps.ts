import { Choice, Flag, Text, TextList, Whole, type Fault, type Variants } from '@app/kernel';
import { keyFault, parseKey } from '../actions/keys.js';
import { stepSelectorFault } from '../actions/selector.js';
import type { ScrollGoal, Step, TypedText, WaitGoal, Work } from '../actions/step.js';
import { MAX_SELECTOR_LENGTH } from '../pipeline/selector-rule.js';
import { addressFault } from './target.js';
import { expressionFault } from './waiting.js';

const BUTTONS = ['left', 'middle', 'right'] as const;
const STATES = ['visible', 'hidden', 'attached'] as const;
const MAX_VALUE_LENGTH = 10_000;
const MAX_SCROLL = 1_000_000;

const selector = { max: MAX_SELECTOR_LENGTH, check: stepSelectorFault };

class CommonFields {
  @Whole('Maximum time in ms to find the element in the state that the step needs.', {
    min: 100,
    max: 60_000,
  })
  timeout_ms = 10_000;

  @Flag('Passes over the step when its element is missing or not displayed; the record notes it.')
  optional = false;
}

class PageFields extends CommonFields {
  @Text('Selector of the iframe in which the element is.', { ...selector, example: 'iframe#checkout' })
  frame?: string;
}

class ElementFields extends PageFields {
  @Text(
    'Selector of the element: CSS, `text/…`, `aria/…`, `::-p-xpath(…)`, with `>>>` into open shadow roots. The first match that is displayed counts.',
    { ...selector, example: 'text/Sign in' },
  )
  selector?: string;
}

class ClickFields extends ElementFields {
  @Whole('Number of clicks, one after the other.', { min: 1, max: 20 })
  times = 1;

  @Choice(BUTTONS, 'Button of the mouse.')
  button: (typeof BUTTONS)[number] = 'left';
}

class FillFields extends ElementFields {
  @Text('Text to type. It is stored with the options: use `secret` for a password.', {
    min: 0,
    max: MAX_VALUE_LENGTH,
    example: 'Ada',
  })
  value?: string;

  @Text('Name of the entry of `secrets` to type.', { max: 64, example: 'password' })
  secret?: string;

  @Text(
    'Name of the entry of `secrets` with the Base32 seed of an authenticator: its code of this moment is typed.',
    {
      max: 64,
      example: 'authenticator',
    },
  )
  totp?: string;
}

class SelectFields extends ElementFields {
  @TextList('Values or labels of the options to select; all others are deselected.', {
    maxItems: 50,
    maxLength: 1_000,
    example: ['de'],
  })
  values?: string[];
}

class CheckFields extends ElementFields {
  @Flag('Whether the box is checked afterwards.')
  checked = true;
}

class PressFields extends PageFields {
  @Text('Key of the UI Events specification, perhaps with others that are held: `Enter`, `Control+A`.', {
    max: 40,
    check: keyFault,
    example: 'Enter',
  })
  key?: string;

  @Text('Selector of the element that gets the focus first.', selector)
  selector?: string;
}

class ScrollFields extends PageFields {
  @Text('Selector of the element to scroll into the window, or with `by` or `to`, to scroll in.', selector)
  selector?: string;

  @Whole('Distance in CSS px; negative scrolls up.', { min: -MAX_SCROLL, max: MAX_SCROLL, example: 600 })
  by?: number;

  @Choice(['top', 'bottom'], 'Where to scroll.')
  to?: 'top' | 'bottom';
}

class WaitFields extends PageFields {
  @Whole('Time in ms.', { min: 1, max: 10_000, example: 500 })
  ms?: number;

  @Text('Selector of the element to wait for.', selector)
  selector?: string;

  @Choice(STATES, 'State of the element to wait for; `visible` by default.')
  state?: (typeof STATES)[number];

  @Text('JavaScript expression to wait for until it is truthy. A promise is awaited.', {
    max: 10_000,
    check: expressionFault,
    example: 'window.chartReady === true',
  })
  function?: string;

  @Flag('Waits until the page has requested nothing for 500 ms.')
  idle = false;
}

class NavigateFields extends CommonFields {
  @Text('URL to open, `http` or `https`.', {
    max: 2_048,
    check: addressFault,
    example: 'https://example.com/cart',
  })
  url?: string;
}

class DialogFields extends CommonFields {
  @Flag('Whether the next alert, confirm or prompt is accepted.')
  accept = true;

  @Text('Text to answer a prompt with.', { min: 0, max: 1_000 })
  text?: string;
}

/** The fields of each type of step, and those that each step of it must have. */
export const STEP_VARIANTS = {
  click: { fields: ClickFields, required: ['selector'], doc: 'Clicks an element.' },
  hover: {
    fields: ElementFields,
    required: ['selector'],
    doc: 'Moves the pointer onto an element, where it stays.',
  },
  fill: { fields: FillFields, required: ['selector'], doc: 'Clears a field and types a text into it.' },
  select: {
    fields: SelectFields,
    required: ['selector', 'values'],
    doc: 'Selects options of a select element.',
  },
  check: {
    fields: CheckFields,
    required: ['selector'],
    doc: 'Checks or unchecks a box, or checks a radio button.',
  },
  press: { fields: PressFields, required: ['key'], doc: 'Presses a key.' },
  scroll: { fields: ScrollFields, required: [], doc: 'Scrolls the page, or an element in it.' },
  wait: {
    fields: WaitFields,
    required: [],
    doc: 'Waits for a time, an element, an expression, or the network.',
  },
  navigate: { fields: NavigateFields, required: ['url'], doc: 'Opens another page.' },
  reload: { fields: CommonFields, required: [], doc: 'Loads the page again.' },
  back: { fields: CommonFields, required: [], doc: 'Goes back to the page before.' },
  dialog: { fields: DialogFields, required: [], doc: 'Says how the next dialog of the page is answered.' },
} as const satisfies Variants;

type StepFields = {
  [Type in keyof typeof STEP_VARIANTS]: { readonly type: Type } & InstanceType<
    (typeof STEP_VARIANTS)[Type]['fields']
  >;
};

/** A step as the option `actions` states it. */
export type ActionStep = StepFields[keyof StepFields];

/** The rules over several fields of a step. Pointers are relative to it. */
export function stepFaults(step: ActionStep): Fault[] {
  if (step.type === 'fill') return exactlyOne(step, ['value', 'secret', 'totp']);
  if (step.type === 'wait') return waitFaults(step);
  if (step.type === 'scroll') return scrollFaults(step);
  if (step.type === 'select' && step.values?.length === 0)
    return [fault('/values', 'too_few', 'must name an option')];
  if (step.type === 'press' && step.frame !== undefined && step.selector === undefined) {
    return [fault('/frame', 'conflict', 'needs selector')];
  }
  if (step.type === 'dialog' && step.text !== undefined && !step.accept) {
    return [fault('/text', 'conflict', 'needs accept')];
  }
  return [];
}

function fault(pointer: string, code: string, detail: string): Fault {
  return { pointer, code, detail };
}

function exactlyOne<S extends object>(step: S, names: readonly (keyof S & string)[]): Fault[] {
  const given = names.filter((name) => step[name] !== undefined && step[name] !== false);
  const [, second] = given;
  if (given.length === 0) return [fault('', 'required', `must have one of ${names.join(', ')}`)];
  return second === undefined
    ? []
    : [fault(`/${second}`, 'conflict', `must not be combined with ${given[0] ?? ''}`)];
}

function waitFaults(step: StepFields['wait']): Fault[] {
  const several = exactlyOne(step, ['ms', 'selector', 'function', 'idle']);
  if (several.length > 0) return several;
  if (step.selector !== undefined) return [];
  return (['state', 'frame'] as const)
    .filter((name) => step[name] !== undefined)
    .map((name) => fault(`/${name}`, 'conflict', 'needs selector'));
}

function scrollFaults(step: StepFields['scroll']): Fault[] {
  const { selector: css, by, to, frame } = step;
  if (by !== undefined && to !== undefined) return [fault('/to', 'conflict', 'must not be combined with by')];
  if (css === undefined && by === undefined && to === undefined) {
    return [fault('', 'required', 'must have one of selector, by, to')];
  }
  return css === undefined && frame !== undefined ? [fault('/frame', 'conflict', 'needs selector')] : [];
}

/** What the engine does for the step at this position of the list. */
export function toStep(step: ActionStep, index: number): Step {
  const { timeout_ms: timeoutMs, optional: isOptional } = step;
  const css = 'selector' in step ? step.selector : undefined;
  const frame = 'frame' in step ? step.frame : undefined;
  return {
    pointer: `/actions/${index}`,
    index,
    work: workOf(step),
    timeoutMs,
    isOptional,
    frame: frame === undefined ? undefined : { selector: frame },
    selectors: css === undefined ? [] : [css],
  };
}

function workOf(step: ActionStep): Work {
  switch (step.type) {
    case 'click':
      return { type: 'click', button: step.button, times: step.times };
    case 'fill':
      return { type: 'fill', text: textOf(step) };
    case 'select':
      return { type: 'select', values: step.values ?? [] };
    case 'check':
      return { type: 'check', isChecked: step.checked };
    case 'press':
      return { type: 'press', press: parseKey(step.key ?? '') ?? { modifiers: [], key: '' } };
    case 'scroll':
      return { type: 'scroll', to: scrollOf(step) };
    case 'wait':
      return { type: 'wait', for: waitOf(step) };
    case 'navigate':
      return { type: 'navigate', url: step.url ?? '' };
    case 'dialog':
      return { type: 'dialog', isAccepted: step.accept, text: step.text };
    case 'hover':
    case 'reload':
    case 'back':
      return { type: step.type };
    default:
      return step satisfies never;
  }
}

function textOf({ value = '', secret, totp }: StepFields['fill']): TypedText {
  if (secret !== undefined) return { secret };
  return totp === undefined ? { value } : { totp };
}

function scrollOf({ by, to }: StepFields['scroll']): ScrollGoal {
  if (by !== undefined) return { kind: 'by', y: by };
  return to === undefined ? { kind: 'element' } : { kind: to };
}

function waitOf(step: StepFields['wait']): WaitGoal {
  if (step.ms !== undefined) return { kind: 'time', ms: step.ms };
  if (step.selector !== undefined) return { kind: 'element', state: step.state ?? 'visible' };
  return step.function === undefined ? { kind: 'idle' } : { kind: 'function', expression: step.function };
}
