import type { SafeAccess } from '../pipeline/in-page.js';
import { targetOf } from './element-look.js';
import type { ElementScript } from './page-element.js';

/** The outcome of a choice: the values or labels that no option has, or why there is nothing to choose from. */
export type Choice = { readonly missing: readonly string[] } | 'not_a_select' | 'takes_one';

/** Selects the options of a select element with these values or labels, and deselects all others. */
export const SELECT_OPTIONS: ElementScript<readonly string[], Choice> = {
  run: selectOptions,
  uses: [targetOf],
};

/** Runs in the page. */
function selectOptions(given: Element, values: readonly string[], safe: SafeAccess): Choice {
  const element = targetOf(given, safe);
  if (!(element instanceof HTMLSelectElement)) return 'not_a_select';
  const select = safe(element);
  if (!select.multiple && values.length > 1) return 'takes_one';
  const options = [...select.options];
  const plain = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const chosen = values.map(
    (value) =>
      options.find((option) => safe(option).value === value) ??
      options.find((option) => plain(safe(option).label) === plain(value)),
  );
  const missing = values.filter((_, at) => {
    const option = chosen[at];
    return !option || safe(option).matches(':disabled');
  });
  if (missing.length > 0) return { missing };
  select.focus();
  for (const option of options) safe(option).selected = chosen.includes(option);
  for (const name of ['input', 'change'])
    select.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
  return { missing: [] };
}

/** Whether a box or radio button is checked; null for what is neither. */
export const READ_CHECKED: ElementScript<null, boolean | null> = { run: readChecked, uses: [targetOf] };

/** Runs in the page. */
function readChecked(given: Element, _: null, safe: SafeAccess): boolean | null {
  const element = targetOf(given, safe);
  if (element instanceof HTMLInputElement) {
    const { type, checked } = safe(element);
    return type === 'checkbox' || type === 'radio' ? checked : null;
  }
  const role = safe(element).getAttribute('role') ?? '';
  if (!/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(role)) return null;
  return safe(element).getAttribute('aria-checked') === 'true';
}

/** Gives an element the focus. */
export const FOCUS: ElementScript<null, void> = {
  run: (given, _, safe) => {
    (safe(targetOf(given, safe)) as HTMLElement).focus();
  },
  uses: [targetOf],
};

/** Clicks an element by script, because a pointer would hit what is on top of it. */
export const CLICK_BY_SCRIPT: ElementScript<null, void> = {
  run: (element, _, safe) => {
    if (element instanceof HTMLElement) safe(element).click();
    else safe(element).dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
  },
  uses: [],
};
