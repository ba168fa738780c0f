import type { CatalogueOption, Device } from '@capture-service/client';
import { withScheme } from '../../../ui/web-address.js';
import { applies, defaultOf, formatsOf, isSame, OPTIONS, type Values } from './options.js';
import { textOf, valuesOf } from './options-text.js';

export type Target = 'url' | 'html';

/** The form and the JSON beside it. */
export interface FormState {
  readonly target: Target;
  /** Every option that is stated, also those that do not apply to the target or format of now. */
  readonly values: Values;
  /** The JSON as it stands in the editor. */
  readonly text: string;
  /** Why the JSON is not that of the form. */
  readonly textFault?: string | undefined;
}

export const EMPTY_FORM: FormState = formOf({});

export function formOf(values: Values): FormState {
  const target = 'html' in values ? 'html' : 'url';
  return withText({ target, values, text: '' });
}

/** The options of the request: those that apply to its target and formats, in the order of the documentation. */
export function requestOf({ target, values }: Pick<FormState, 'target' | 'values'>): Values {
  const formats = formatsOf(values);
  const isOfTarget = (name: string) =>
    target === 'url' ? name !== 'html' && name !== 'base_url' : name !== 'url';
  const isStated = ([name, option]: readonly [string, CatalogueOption]) =>
    Object.hasOwn(values, name) && isOfTarget(name) && applies(option, formats);
  return Object.fromEntries([...OPTIONS].filter(isStated).map(([name]) => [name, values[name]]));
}

/** States an option; undefined and what applies anyway take it out. */
export function setOption(
  form: FormState,
  { name, value, devices }: { name: string; value: unknown; devices?: readonly Device[] | undefined },
): FormState {
  const { [name]: _, ...others } = form.values;
  const option = OPTIONS.get(name);
  const isDefault = option && isSame(value, defaultOf(option, others, devices));
  const values = value === undefined || isDefault ? others : { ...others, [name]: value };
  return withText({ ...form, values });
}

/** The request with a URL that has a scheme. */
export function completeRequest(request: Values): Values {
  return typeof request.url === 'string' ? { ...request, url: withScheme(request.url) } : request;
}

export function setTarget(form: FormState, target: Target): FormState {
  return withText({ ...form, target });
}

/** Takes over the JSON as it is typed. Only a valid one changes the form. */
export function setText(form: FormState, text: string): FormState {
  const { values, fault } = valuesOf(text);
  if (values === undefined) return { ...form, text, textFault: fault };
  return { target: targetOf(values, form.target), values, text };
}

function targetOf(values: Values, current: Target): Target {
  if ('html' in values) return 'html';
  return 'url' in values ? 'url' : current;
}

function withText({ target, values }: Omit<FormState, 'textFault'>): FormState {
  return { target, values, text: textOf(requestOf({ target, values })) };
}
