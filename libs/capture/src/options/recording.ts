import { faultsOf, isPlainObject, nearestName, ObjectList, Text, Whole, type Fault } from '@app/kernel';
import { keyFault, parseKey } from '../actions/keys.js';
import { chainSelectors, stepSelectorFault } from '../actions/selector.js';
import type { FramePath, MouseButton, Offset, Step, Work } from '../actions/step.js';
import { addressFault } from './target.js';

/** The maximum of a step, of which a recording may state another one. */
const TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 60_000;
const MAX_VALUE_LENGTH = 10_000;
const MAX_ALTERNATIVES = 20;
/** Steps hold whatever the recorder writes. */
const MAX_LENGTH = 200_000;
const MAX_EXPRESSION_LENGTH = 10_000;
/** Some have no effect, and a key that is pressed is two. */
const MAX_RECORDED = 100;

/** A recording as Chrome's DevTools export it. Its steps are checked by `readRecording`. */
export class Recording {
  @Text('Title; it has no effect.', { min: 0, max: 1_000, example: 'Sign in' })
  title?: string;

  @Whole('Maximum time in ms for each step that states none.', { min: 1, max: MAX_TIMEOUT_MS })
  timeout?: number;

  @Text('Attribute that the recorder preferred for selectors; it has no effect.', { max: 100 })
  selectorAttribute?: string;

  @ObjectList('Steps as the recorder writes them.', {
    maxItems: MAX_RECORDED,
    example: [{ type: 'click', selectors: [['#menu']] }],
  })
  steps?: readonly object[];
}

/** A `check` for the option: whether a recording can be stored. `readRecording` reads its steps. */
export function recordingFault(recording: unknown): string | undefined {
  if (JSON.stringify(recording).length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  return isStorable(recording) ? undefined : 'must not contain NUL or a lone surrogate';
}

/** PostgreSQL stores neither NUL nor a lone surrogate. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every((entry) => entry.every(isStorable));
}

type Fields = Readonly<Record<string, unknown>>;

/** One step of a recording, and where it stands. */
interface Recorded {
  readonly fields: Fields;
  readonly pointer: string;
  readonly timeoutMs: number;
}

/** What a step does; a fault that says why it cannot be done; null for one without an effect on a capture. */
type Reading = Pick<Step, 'work' | 'selectors'> | Fault | null;

const READERS: Readonly<Record<string, (recorded: Recorded) => Reading>> = {
  // The options of a capture decide about its window.
  setViewport: () => null,
  click: (recorded) => onElement(recorded, clickOf(recorded.fields, false)),
  doubleClick: (recorded) => onElement(recorded, clickOf(recorded.fields, true)),
  hover: (recorded) => onElement(recorded, { type: 'hover', ...offsetOf(recorded.fields) }),
  change: (recorded) => {
    const { value, secret, totp } = recorded.fields;
    if (typeof secret === 'string') return onElement(recorded, { type: 'fill', text: { secret } });
    if (typeof totp === 'string') return onElement(recorded, { type: 'fill', text: { totp } });
    if (typeof value !== 'string' || value.length > MAX_VALUE_LENGTH) {
      return fault(recorded, 'value', `must be a text of at most ${MAX_VALUE_LENGTH} characters`);
    }
    return onElement(recorded, { type: 'change', value });
  },
  keyDown: (recorded) => keyOf(recorded, 'down'),
  keyUp: (recorded) => keyOf(recorded, 'up'),
  scroll: (recorded) => {
    const { x = 0, y = 0, selectors } = recorded.fields;
    if (typeof x !== 'number' || typeof y !== 'number') return fault(recorded, 'y', 'must be a number');
    const work: Work = { type: 'scroll', to: { kind: 'position', x, y } };
    return selectors === undefined ? { work, selectors: [] } : onElement(recorded, work);
  },
  navigate: (recorded) => {
    const { url } = recorded.fields;
    const detail = typeof url === 'string' ? addressFault(url) : 'must be a URL';
    return detail === undefined
      ? { work: { type: 'navigate', url: String(url) }, selectors: [] }
      : fault(recorded, 'url', detail);
  },
  waitForElement: waitForElementOf,
  waitForExpression: (recorded) => {
    const { expression } = recorded.fields;
    if (typeof expression !== 'string' || expression === '' || expression.length > MAX_EXPRESSION_LENGTH) {
      const detail = `must be a JavaScript expression of at most ${MAX_EXPRESSION_LENGTH} characters`;
      return fault(recorded, 'expression', detail);
    }
    return { work: { type: 'wait', for: { kind: 'function', expression } }, selectors: [] };
  },
};

interface RecordingReading {
  readonly steps: readonly Step[];
  readonly faults: readonly Fault[];
}

/** A capture asks for the steps of its recording several times. */
const readings = new WeakMap<object, RecordingReading>();

/** The steps of a recording, and the faults of those that cannot be done. */
export function readRecording(recording: object): RecordingReading {
  const known = readings.get(recording);
  if (known) return known;
  const reading = readSteps(recording);
  readings.set(recording, reading);
  return reading;
}

function readSteps(recording: object): RecordingReading {
  // As for other options that are objects, an empty one means none.
  if (Object.keys(recording).length === 0) return { steps: [], faults: [] };
  const { steps, timeout } = recording as Fields;
  const own = faultsOf(Recording, recording, '/recording');
  if (own.length > 0) return { steps: [], faults: own };
  if (!Array.isArray(steps)) {
    return {
      steps: [],
      faults: [{ pointer: '/recording/steps', code: 'required', detail: 'must be a list of steps' }],
    };
  }
  const read: Step[] = [];
  const faults: Fault[] = [];
  steps.forEach((fields: unknown, index) => {
    const pointer = `/recording/steps/${index}`;
    const timeoutMs = typeof timeout === 'number' ? timeout : TIMEOUT_MS;
    const step = isPlainObject(fields)
      ? readStep({ fields, pointer, timeoutMs })
      : { pointer, code: 'wrong_type', detail: 'must be a JSON object' };
    if (step === null) return;
    if ('code' in step) faults.push(step);
    else read.push({ ...step, index });
  });
  return { steps: read, faults };
}

function readStep(recorded: Recorded): Omit<Step, 'index'> | Fault | null {
  const { fields, pointer } = recorded;
  const { type, target = 'main', timeout } = fields;
  const read = typeof type === 'string' && Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (!read) return refused(recorded, 'type', `cannot be done in a capture${proposal(type)}`);
  if (target !== 'main') return refused(recorded, 'target', 'must be main: a capture has one window');
  if (timeout !== undefined && !isTimeout(timeout)) {
    return fault(recorded, 'timeout', `must be a whole number between 1 and ${MAX_TIMEOUT_MS}`);
  }
  const frame = frameOf(recorded);
  if (frame && 'code' in frame) return frame;
  const reading = read(recorded);
  if (reading === null || 'code' in reading) return reading;
  const timeoutMs = typeof timeout === 'number' ? timeout : recorded.timeoutMs;
  return { ...reading, pointer, timeoutMs, isOptional: false, frame };
}

function isTimeout(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_TIMEOUT_MS;
}

function proposal(type: unknown): string {
  const near = typeof type === 'string' ? nearestName(type, Object.keys(READERS)) : undefined;
  return near === undefined
    ? `; it must be one of ${Object.keys(READERS).join(', ')}`
    : `; did you mean ${near}?`;
}

function fault({ pointer }: Pick<Recorded, 'pointer'>, field: string, detail: string): Fault {
  return { pointer: `${pointer}/${field}`, code: 'invalid_value', detail };
}

function refused(recorded: Recorded, field: string, detail: string): Fault {
  return { ...fault(recorded, field, detail), code: 'not_allowed' };
}

function onElement(recorded: Recorded, work: Work): Reading {
  const selectors = selectorsOf(recorded);
  return 'code' in selectors ? selectors : { work, selectors: selectors.all };
}

/** Each is a selector, or a list of them: the first in the document, each next in the shadow root of the one before. */
function selectorsOf(recorded: Recorded): { readonly all: string[] } | Fault {
  const { selectors } = recorded.fields;
  if (!Array.isArray(selectors) || selectors.length === 0 || selectors.length > MAX_ALTERNATIVES) {
    return fault(recorded, 'selectors', `must be a list of 1 to ${MAX_ALTERNATIVES} selectors`);
  }
  const all: string[] = [];
  for (const [index, each] of selectors.entries()) {
    const chain: unknown[] = Array.isArray(each) ? each : [each];
    const texts = chain.filter((part): part is string => typeof part === 'string');
    const selector = texts.length === chain.length ? chainSelectors(texts) : '';
    const detail = stepSelectorFault(selector);
    if (detail !== undefined) return fault(recorded, `selectors/${index}`, detail);
    all.push(selector);
  }
  return { all };
}

function frameOf(recorded: Recorded): FramePath | Fault | undefined {
  const { frame } = recorded.fields;
  if (frame === undefined || (Array.isArray(frame) && frame.length === 0)) return undefined;
  const isIndex = (index: unknown): index is number => Number.isInteger(index) && Number(index) >= 0;
  if (Array.isArray(frame) && frame.every(isIndex)) return { indexes: frame };
  return fault(recorded, 'frame', 'must be a list of whole numbers');
}

function clickOf(fields: Fields, isDouble: boolean): Work {
  return { type: 'click', button: buttonOf(fields.button), times: 1, isDouble, ...offsetOf(fields) };
}

function buttonOf(button: unknown): MouseButton {
  return button === 'secondary' ? 'right' : button === 'auxiliary' ? 'middle' : 'left';
}

function offsetOf({ offsetX, offsetY }: Fields): { offset?: Offset } {
  if (typeof offsetX !== 'number' || typeof offsetY !== 'number') return {};
  return { offset: { x: offsetX, y: offsetY } };
}

function keyOf(recorded: Recorded, direction: 'down' | 'up'): Reading {
  const { key } = recorded.fields;
  const press = typeof key === 'string' && keyFault(key) === undefined ? parseKey(key) : undefined;
  if (!press) return fault(recorded, 'key', 'must be a key of the UI Events specification, such as Enter');
  return { work: { type: 'press', press, direction }, selectors: [] };
}

function waitForElementOf(recorded: Recorded): Reading {
  const { operator = '>=', count = 1, visible = true, properties, attributes } = recorded.fields;
  if (properties !== undefined || attributes !== undefined) {
    const field = properties === undefined ? 'attributes' : 'properties';
    return refused(
      recorded,
      field,
      'cannot be waited for in a capture; use a selector with [attribute=value]',
    );
  }
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 0) {
    return fault(recorded, 'count', 'must be a whole number');
  }
  if (operator !== '>=' && operator !== '==' && operator !== '<=') {
    return fault(recorded, 'operator', 'must be >=, == or <=');
  }
  const state = visible === false ? 'attached' : 'visible';
  return onElement(recorded, {
    type: 'wait',
    for: { kind: 'element', state, count: { operator, number: count } },
  });
}
