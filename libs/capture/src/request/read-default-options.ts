import { InvalidEnvironmentError } from '@app/config';
import { fieldsOf, instantiate, isPlainObject, type Fault, type FieldSpec } from '@app/kernel';
import { DefaultOptions } from './default-options.js';
import { ruleFaults } from './option-faults.js';
import { CaptureOptions, OPTIONS } from './capture-options.js';
import { optionFaults } from './parse-options.js';

type Given = Readonly<Record<string, unknown>>;

const ONE_CAPTURE = 'belongs to one capture and cannot be a default';
const ONE_PAGE =
  'depends on the content of one page and cannot be a default: captures of other pages would fail';

/** The options that cannot be defaults of the operator, and why. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ...['url', 'html', 'base_url', 'reference', 'filename', 'webhook_url'].map(
    (name) => [name, ONE_CAPTURE] as const,
  ),
  ...[
    'selector',
    'clip_x',
    'clip_y',
    'clip_width',
    'clip_height',
    'scroll_to_selector',
    'click_selector',
    'actions',
    'recording',
    'wait_for_selector',
    'wait_for_function',
    'fail_if_text_missing',
  ].map((name) => [name, ONE_PAGE] as const),
  ...[...OPTIONS.values()]
    .filter(({ exposure }) => exposure === 'secret')
    .map(({ name }) => [name, 'is a secret and cannot be a default: every target would receive it'] as const),
  ['response', 'cannot be a default: it decides what the program of the caller receives'],
  ['expires_in_s', 'cannot be a default; set RESULT_TTL_S'],
]);

/**
 * Reads the value of DEFAULT_OPTIONS, a JSON object of options.
 *
 * @throws InvalidEnvironmentError that names each option at fault
 */
export function readDefaultOptions(text: string): DefaultOptions {
  const values = text.trim() === '' ? {} : parseObject(text);
  const faults = faultsOf(values);
  if (faults.length > 0) throw invalid(faults.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`));
  return new DefaultOptions(values);
}

function parseObject(text: string): Given {
  const example = 'must be a JSON object of options, such as {"clean": true, "wait_until": "auto"}';
  try {
    const value: unknown = JSON.parse(text);
    if (isPlainObject(value)) return value;
  } catch {
    // The message of the parser would repeat a part of the value.
    throw invalid([`${example}; it is not valid JSON`]);
  }
  throw invalid([example]);
}

function invalid(lines: readonly string[]): InvalidEnvironmentError {
  const message = lines.map((line) => `  DEFAULT_OPTIONS ${line}`).join('\n');
  return new InvalidEnvironmentError(`The environment is not valid:\n${message}`);
}

function faultsOf(values: Given): Fault[] {
  const refused = Object.keys(values).flatMap((name): Fault[] => {
    const detail = REFUSED.get(name);
    return detail === undefined ? [] : [{ pointer: `/${name}`, code: 'not_allowed', detail }];
  });
  const others = Object.fromEntries(Object.entries(values).filter(([name]) => !REFUSED.has(name)));
  const faults = [...refused, ...optionFaults(others, '')];
  return faults.length > 0 ? faults : contradictions(values);
}

/**
 * The faults of defaults that could apply to no capture: they contradict other defaults, or need an option that is no
 * default and that would replace them if a caller sent it. A default that only needs an option of the caller has none.
 */
function contradictions(values: Given): Fault[] {
  const defaults = new DefaultOptions(values);
  const useful = new Set(
    SAMPLE_CALLERS.flatMap((caller) => {
      const { applied, faults } = defaults.applyBelow(caller);
      return faults.length > 0 ? [] : Object.keys(applied);
    }),
  );
  const useless = Object.keys(values).filter((name) => !useful.has(name));
  if (useless.length === 0) return [];
  const others = Object.fromEntries(Object.entries(values).filter(([name]) => useful.has(name)));
  const known = rulesOver(others);
  const caused = rulesOver(values).filter(
    ({ pointer, detail }) => !known.some((fault) => fault.pointer === pointer && fault.detail === detail),
  );
  if (caused.length > 0) return caused;
  const detail = 'contradicts the other defaults';
  return useless.map((name) => ({ pointer: `/${name}`, code: 'conflict', detail }));
}

function rulesOver(values: Given): Fault[] {
  const given = { ...TARGET, ...values };
  const faults = ruleFaults({ given, options: instantiate(CaptureOptions, given) }, []);
  // Defaults may be for several formats.
  return faults.filter(({ code }) => code !== 'not_for_format');
}

const TARGET = { url: 'https://example.com/' };

/** Requests with no option, with each value of one option that other options may need, and with slices, which need an option themselves. */
const SAMPLE_CALLERS: readonly Given[] = [
  TARGET,
  { ...TARGET, full_page: true, slice_height: 1_000 },
  ...fieldsOf(CaptureOptions).flatMap((spec) =>
    samplesOf(spec).map((value) => ({ ...TARGET, [spec.name]: value })),
  ),
];

function samplesOf({ kind, schema, example }: FieldSpec): readonly unknown[] {
  if (kind === 'flag') return [true, false];
  if (kind === 'choice') return schema.enum as readonly unknown[];
  return example === undefined ? [] : [example];
}
