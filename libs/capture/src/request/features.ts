import { fieldsOf, isPlainObject, type FieldSpec } from '@app/kernel';
import { CaptureOptions } from './capture-options.js';

/**
 * The options that every worker knows, also one of a version that does not say what it knows. Options are never added here: a
 * worker that does not know an option ignores it, and makes another capture than the one that was asked for.
 */
const BASELINE: ReadonlySet<string> = new Set(
  `accuracy base_url basic_auth_password basic_auth_username block_resource_types block_urls bypass_csp click_selector clip_height
  clip_width clip_x clip_y cookies css dark_mode delay_ms device device_scale_factor expires_in_s fail_if_text fail_if_text_missing
  fail_on_status format full_page headers hide_selectors html javascript js landscape latitude locale longitude mask_selectors
  max_height media_type mobile navigation_timeout_ms omit_background on_timeout optimize_for_speed pdf_background pdf_footer_html
  pdf_header_html pdf_height pdf_landscape pdf_margin_bottom pdf_margin_left pdf_margin_right pdf_margin_top pdf_outline
  pdf_page_ranges pdf_paper pdf_prefer_css_page_size pdf_scale pdf_tagged pdf_width quality reduced_motion scroll scroll_to_selector
  selector selector_padding sticky timeout_ms timezone touch url user_agent viewport_height viewport_width wait_for_function
  wait_for_selector wait_for_selector_state wait_until`.split(/\s+/),
);

/** Those of their values that every worker knows, for the options with a list of values that has grown. */
const BASELINE_VALUES: Readonly<Record<string, readonly string[]>> = {
  format: ['png', 'jpeg', 'webp', 'pdf'],
};

/** Options that the API does itself. */
const OF_THE_API: ReadonlySet<string> = new Set([
  'cache_key',
  'cache_ttl_s',
  'stale_ttl_s',
  'force',
  'response',
  'filename',
  'reference',
]);

/** The options of the worker's work that need a worker of this version, or of one not much older. */
const FIELDS: readonly FieldSpec[] = fieldsOf(CaptureOptions).filter(({ name }) => !OF_THE_API.has(name));
const CHOICES = new Map(FIELDS.map((field) => [field.name, choicesOf(field)]));
const DEFAULTS = new CaptureOptions() as unknown as Readonly<Record<string, unknown>>;

function choicesOf({ schema }: FieldSpec): readonly string[] {
  const { enum: values, items } = schema as {
    enum?: readonly string[];
    items?: { enum?: readonly string[] };
  };
  return values ?? items?.enum ?? [];
}

function isBaseline(name: string, choice?: string): boolean {
  if (!BASELINE.has(name)) return false;
  return choice === undefined || (BASELINE_VALUES[name]?.includes(choice) ?? true);
}

/**
 * What a worker of this version knows beyond what every worker does: names of options (`stable`), and options with a value
 * (`format=avif`).
 */
export const KNOWN_FEATURES: readonly string[] = FIELDS.flatMap(({ name }) => [
  ...(isBaseline(name) ? [] : [name]),
  ...(CHOICES.get(name) ?? []).flatMap((choice) => (isBaseline(name, choice) ? [] : [`${name}=${choice}`])),
]).sort();

/**
 * The features among these that a worker must know to make this capture as asked; null for a capture that any worker makes.
 *
 * @param stated the options as they were sent, over the defaults of the operator
 */
export function neededFeatures(stated: Readonly<Record<string, unknown>>): string[] | null {
  const needed = new Set(Object.entries(stated).flatMap(([name, value]) => featuresOf(name, value)));
  return needed.size === 0 ? null : [...needed].sort();
}

function featuresOf(name: string, value: unknown): string[] {
  const choices = CHOICES.get(name);
  // A worker that does not know an option does what its default says.
  if (choices === undefined || value === null || value === false || value === DEFAULTS[name]) return [];
  const own = isBaseline(name) ? [] : [name];
  const chosen = [value]
    .flat()
    .filter((choice): choice is string => typeof choice === 'string' && choices.includes(choice));
  const chosenFeatures = chosen
    .filter((choice) => !isBaseline(name, choice))
    .map((choice) => `${name}=${choice}`);
  const inner = [value].flat().filter((item) => isPlainObject(item) && name === 'outputs') as object[];
  return [...own, ...chosenFeatures, ...inner.flatMap((item) => neededFeatures({ ...item }) ?? [])];
}
