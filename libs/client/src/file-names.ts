import { utf8 } from './hmac.js';

/** Digits of the largest batch, so that names sort in the order of its rows. */
const ROW_DIGITS = 5;

/** What separates folders, has a meaning for Windows, or changes how a name is displayed. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;

/** Names of devices, which Windows opens instead of a file, also with an extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** What the file of a row is called when nothing is known that names it. */
const NAMELESS = 'capture';

/**
 * `00007-order-7`: the name of the file of a row without its extension, or of the folder of its files. The number keeps the
 * names of two rows apart, also on file systems that ignore case.
 *
 * @param row its number, from 1
 * @param labels texts that may name it: the first of which something is left
 * @param maxLabelBytes in UTF-8, without the number
 */
export function rowFileName(row: number, labels: readonly (string | null)[], maxLabelBytes: number): string {
  const [label = NAMELESS] = labels.map((text) => safeLabel(text ?? '', maxLabelBytes)).filter(Boolean);
  return `${String(row).padStart(ROW_DIGITS, '0')}-${label}`;
}

/**
 * The text as a part of a file name that every system accepts and that leads nowhere else; empty if nothing is left.
 *
 * @param maxBytes in UTF-8; most file systems take names of 255 bytes
 */
export function safeLabel(text: string, maxBytes: number): string {
  const safe = text
    .toWellFormed()
    .normalize('NFC')
    .replace(UNSAFE, '-')
    .replace(/\.{2,}/g, '.');
  return trimmed(cut(trimmed(safe), maxBytes));
}

/** The name, or one that every system takes for a file: Windows would open a device. */
export function withoutDevice(name: string): string {
  return DEVICE.test(name) ? `_${name}` : name;
}

/** Windows drops dots and white space at the end of a name; at its beginning they hide it. */
function trimmed(text: string): string {
  return text.replace(/^[-.\s]+|[-.\s]+$/gu, '');
}

function cut(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8(character).length;
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}
