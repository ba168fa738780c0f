import type { SafeAccess } from '../pipeline/in-page.js';
import { targetOf } from './element-look.js';
import type { ElementScript } from './page-element.js';

/** What is written into a field. */
export interface TextToWrite {
  readonly text: string;
  /** For a secret: the only origins that may get it, also of the documents around. */
  readonly onlyFor: readonly string[] | null;
}

export type Written =
  | 'written'
  /** The document, or one around it, is of another origin. */
  | 'foreign'
  /** The element takes no text, or not this one. */
  | 'not_a_field'
  | 'not_taken';

/**
 * Clears a field and types a text into it, as one call in its document: a page that moves the focus, or navigates, meanwhile
 * cannot have a secret typed into another document.
 */
export const WRITE_TEXT: ElementScript<TextToWrite, Written> = {
  run: writeText,
  uses: [targetOf, isOnlyOf, writeValue, typeInto],
};

/** Runs in the page. */
function writeText(given: Element, { text, onlyFor }: TextToWrite, safe: SafeAccess): Written {
  if (onlyFor !== null && !isOnlyOf(onlyFor)) return 'foreign';
  const element = targetOf(given, safe);
  const isInput = element instanceof HTMLInputElement;
  const type = isInput ? safe(element).type : '';
  if (isInput && /^(date|time|datetime-local|month|week|color|range)$/.test(type)) {
    return writeValue(element, text, safe);
  }
  if (isInput && !/^(text|search|url|tel|email|password|number)$/.test(type)) return 'not_a_field';
  if (!(element instanceof HTMLElement)) return 'not_a_field';
  const isField = isInput || element instanceof HTMLTextAreaElement || safe(element).isContentEditable;
  if (!isField) return 'not_a_field';
  const isShown = onlyFor !== null && type !== 'password';
  if (isShown) safe(element).style.setProperty('-webkit-text-security', 'disc', 'important');
  typeInto(element, text, safe);
  return 'written';
}

/** Runs in the page. Whether the document and all around it are of these origins. */
function isOnlyOf(origins: readonly string[]): boolean {
  return [self.origin, ...location.ancestorOrigins].every((origin) => origins.includes(origin));
}

/** Runs in the page. Sets the value of a field that is no text, such as a date. */
function writeValue(element: HTMLInputElement, text: string, safe: SafeAccess): Written {
  const input = safe(element);
  input.focus();
  input.value = text;
  const isTaken = input.value === text;
  for (const name of ['input', 'change'])
    input.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
  return isTaken ? 'written' : 'not_taken';
}

/** Runs in the page. */
function typeInto(element: HTMLElement, text: string, safe: SafeAccess): void {
  safe(element).focus();
  const page = safe(document);
  const value =
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
      ? safe(element).value
      : null;
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) safe(element).select();
  else getSelection()?.selectAllChildren(element);
  if (value !== '') page.execCommand('delete');
  // A page may react to each character; a long text would take it long.
  const pieces = text.length <= 100 ? [...text] : [text];
  for (const piece of pieces) page.execCommand('insertText', false, piece);
}
