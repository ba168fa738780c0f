import type { JsonSchemaType } from '@modelcontextprotocol/server';
import { EXPOSURE_RULES, loadsByCss } from '@app/capture';
import { OPTION_CATALOGUE, type CaptureOptions, type CatalogueOption } from '@capture-service/client';
import type { ToolArguments } from './tool.js';

const OPTIONS: ReadonlyMap<string, CatalogueOption> = new Map(
  OPTION_CATALOGUE.map((option) => [option.name, option]),
);

/** Public options that tools have as arguments of their own, or that have no effect: the results of tools have no file names. */
const OF_TOOLS: readonly string[] = ['url', 'filename'];

/** The options that tools offer, of which some need the permission of the operator. */
const OFFERED_OPTIONS = OPTION_CATALOGUE.filter(
  ({ name, exposure }) => EXPOSURE_RULES[exposure].byModels !== 'no' && !OF_TOOLS.includes(name),
);

/** The names of all options that tools offer. */
export const OFFERED = OFFERED_OPTIONS.map(({ name }) => name);

/** The options that most captures need, most useful first; `capture` has them as arguments, all others are in `options`. */
const FIRST = [
  'full_page',
  'selector',
  'device',
  'viewport_width',
  'viewport_height',
  'dark_mode',
  'clean',
  'wait_for_selector',
  'delay_ms',
];

/** What the names in `options` do not say. A description of each would double the list of tools. */
const OPTION_NOTES =
  'Further options. Sizes are in CSS px, times as the name says, pdf sizes text with a unit (210mm). fail_on_status: 404 or 4xx; ' +
  'on_timeout "capture" keeps what has loaded; cache_ttl_s accepts an earlier capture; image_width and image_height scale down.';

/** Where the catalogue names a route, which a model cannot call. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  device:
    'Device to emulate with its window, scale, touch screen and user agent, such as iphone-15-pro, pixel-5 or ipad.',
};

const REFERENCE = 'Options of the tool `capture`, such as {"clean":true}.';

/** Which options a tool takes. */
export interface OptionChoice {
  /** The options that it sets itself, or that have no meaning for it. */
  readonly without?: readonly string[];
  /** The arguments that it needs, unless the key permits `html` in the place of a URL. */
  readonly required?: readonly string[];
  /** Whether its schema lists the options. One tool does; the others refer to it, which keeps the list of tools short. */
  readonly listsAll?: boolean;
}

export type Properties = Readonly<Record<string, JsonSchemaType>>;

/** The JSON Schema of the arguments of a tool that captures pages: its own, and `options` with those of the capture. */
export function captureSchema(
  own: Properties,
  { without = [], listsAll = false, required = [] }: OptionChoice,
  mayUseUnsafe: boolean,
): JsonSchemaType {
  const offered = OFFERED_OPTIONS.filter(
    ({ name, exposure }) =>
      !(name in own) &&
      !without.includes(name) &&
      (mayUseUnsafe || EXPOSURE_RULES[exposure].byModels !== 'if permitted'),
  );
  const first = FIRST.flatMap((name) => offered.find((option) => option.name === name) ?? []);
  const rest = offered.filter(({ name }) => !FIRST.includes(name));
  const needed = required.filter((name) => name !== 'url' || !mayUseUnsafe);
  const options = listsAll
    ? { description: OPTION_NOTES, properties: propertiesOf(rest), additionalProperties: false }
    : { description: REFERENCE };
  return {
    type: 'object',
    properties: { ...own, ...(listsAll && propertiesOf(first)), options: { type: 'object', ...options } },
    // Earlier drafts of JSON Schema do not permit an empty list.
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  };
}

function propertiesOf(options: readonly CatalogueOption[]): Properties {
  return Object.fromEntries(
    options.map(({ name, schema, description, default: value }) => {
      const hasDefault = value !== undefined && value !== false;
      return [
        name,
        {
          ...schema,
          description: DESCRIPTIONS[name] ?? firstSentence(description),
          ...(hasDefault && { default: value }),
        },
      ];
    }),
  );
}

/** A model pays for each word of each description, and the API explains a wrong value. */
function firstSentence(text: string): string {
  return /^.*?[^.][.:](?=\s)/su.exec(text)?.[0].replace(/:$/, '.') ?? text;
}

/**
 * Puts options where the schema has them: beside `options` or in it. Models often mistake the one for the other, and a
 * refusal would only cost another call.
 */
export function gatherOptions(args: ToolArguments, known: Properties): ToolArguments {
  const { options = {}, ...rest } = args;
  if (!Object.hasOwn(known, 'options') || !isObject(options)) return args;
  const isNested = ([name]: [string, unknown]): boolean => !Object.hasOwn(known, name) && OPTIONS.has(name);
  const all = [...Object.entries(options), ...Object.entries(rest)];
  const isStray = ([name]: [string, unknown]): boolean =>
    !Object.hasOwn(known, name) && Object.hasOwn(options, name);
  return {
    ...Object.fromEntries(all.filter((each) => !isNested(each) && !isStray(each))),
    options: Object.fromEntries(all.filter((each) => isNested(each) || isStray(each))),
  };
}

/** The first name in `options` that is none of an option which tools offer, such as that of a webhook. */
export function unknownOption({ options }: ToolArguments): string | undefined {
  return isObject(options) ? Object.keys(options).find((name) => !OFFERED.includes(name)) : undefined;
}

/**
 * The first option in these arguments with which a page that misleads a model could do harm, so that the operator must permit
 * it for the key.
 */
export function unsafeOption(args: ToolArguments): string | undefined {
  const given = [...Object.entries(isObject(args.options) ? args.options : {}), ...Object.entries(args)];
  const [name] = given.find(([each, value]) => needsPermission(OPTIONS.get(each), value)) ?? [];
  return name;
}

function needsPermission(option: CatalogueOption | undefined, value: unknown): boolean {
  if (!option) return false;
  const { byModels } = EXPOSURE_RULES[option.exposure];
  switch (byModels) {
    case 'yes':
    case 'no':
      return false;
    case 'if permitted':
      return true;
    case 'if it loads nothing or is permitted': {
      const { maxLength = Infinity } = option.schema;
      // The API refuses what is longer.
      return typeof value === 'string' && value.length <= maxLength && loadsByCss(value);
    }
    default:
      return byModels satisfies never;
  }
}

/** The options of a capture in these arguments. Those that the tool sets itself win. */
export function optionsOf(args: ToolArguments, own: ToolArguments = {}): CaptureOptions {
  const { options, ...rest } = args;
  const usual = Object.entries(rest).filter(([name]) => OPTIONS.has(name));
  // The API validates them, with a better explanation than a type could give.
  return {
    ...(isObject(options) && options),
    ...Object.fromEntries(usual),
    ...own,
  } as unknown as CaptureOptions;
}

function isObject(value: unknown): value is ToolArguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
