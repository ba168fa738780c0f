/** The keys that change what others do while they are held. */
const MODIFIERS = ['Control', 'Shift', 'Alt', 'Meta'] as const;
export type Modifier = (typeof MODIFIERS)[number];

/** Keys with a name, as the UI Events specification has them (https://www.w3.org/TR/uievents-key/). */
const NAMED: ReadonlySet<string> = new Set(
  `Enter Tab Escape Backspace Delete Insert Home End PageUp PageDown ArrowUp ArrowDown ArrowLeft ArrowRight Control Shift Alt Meta
  CapsLock NumLock ContextMenu F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12`.split(/\s+/),
);

/** A key that is pressed while others are held. */
export interface KeyPress {
  readonly modifiers: readonly Modifier[];
  /** A name, or the character that the key writes. */
  readonly key: string;
}

/** Parses `Enter`, `a` or `Control+Shift+ArrowLeft`; undefined for what names no key. */
export function parseKey(text: string): KeyPress | undefined {
  const held: Modifier[] = [];
  let rest = text;
  for (;;) {
    const next = MODIFIERS.find(
      (modifier) => rest.startsWith(`${modifier}+`) && rest.length > modifier.length + 1,
    );
    if (next === undefined || held.includes(next)) break;
    held.push(next);
    rest = rest.slice(next.length + 1);
  }
  const key = rest === 'Space' ? ' ' : rest;
  const isKnown = NAMED.has(key) || ([...key].length === 1 && !/\p{Cc}/u.test(key));
  return isKnown ? { modifiers: held, key } : undefined;
}

/** A `check` for the field `key`. */
export function keyFault(text: string): string | undefined {
  return parseKey(text)
    ? undefined
    : 'must be a character or a key of the UI Events specification, such as Enter or ArrowDown, perhaps after Control+, Shift+, Alt+ or Meta+';
}
