import { CliError } from '../context/cli-error.js';

/** How a terminal shows pictures. */
export type PictureProtocol = 'kitty' | 'iterm2';

type Env = Readonly<Record<string, string | undefined>>;

/** Terminals with the graphics protocol of kitty, and those with the inline images of iTerm2, by TERM_PROGRAM. */
const PROGRAMS: Readonly<Record<string, PictureProtocol>> = {
  ghostty: 'kitty',
  'iTerm.app': 'iterm2',
  WezTerm: 'iterm2',
  mintty: 'iterm2',
};

/** The protocol of the terminal; undefined when it is not known to show pictures. tmux and screen pass none on. */
export function protocolOf(env: Env): PictureProtocol | undefined {
  if (env.TMUX || /^(screen|tmux)/.test(env.TERM ?? '')) return undefined;
  if (env.KITTY_WINDOW_ID || /^xterm-(kitty|ghostty)/.test(env.TERM ?? '')) return 'kitty';
  if (env.LC_TERMINAL === 'iTerm2') return 'iterm2';
  return PROGRAMS[env.TERM_PROGRAM ?? ''];
}

/**
 * The same, required for `--show`.
 *
 * @throws CliError unless the terminal shows pictures
 */
export function requiredProtocol(env: Env, isTTY: boolean): PictureProtocol {
  const protocol = isTTY ? protocolOf(env) : undefined;
  if (protocol !== undefined) return protocol;
  const found = isTTY ? `not this one (TERM=${env.TERM ?? ''})` : 'standard output is none of them';
  throw new CliError(
    `--show needs kitty, Ghostty, iTerm2, WezTerm or mintty; ${found}. Write a file with -o.`,
  );
}

/** Formats that a protocol shows. Kitty takes PNG alone, iTerm2 what its system decodes. */
const FORMATS: Readonly<Record<PictureProtocol, ReadonlySet<string>>> = {
  kitty: new Set(['image/png']),
  iterm2: new Set(['image/png', 'image/jpeg', 'image/webp', 'image/avif']),
};

/** Whether the protocol shows files of this media type. */
export const shows = (protocol: PictureProtocol, type: string): boolean =>
  FORMATS[protocol].has(type.split(';')[0]?.trim() ?? '');

/** The largest piece of base64 in one escape code of kitty. */
const CHUNK = 4_096;

/** The escape codes that show a picture. */
export function pictureCodes(protocol: PictureProtocol, bytes: Uint8Array): string {
  const base64 = Buffer.from(bytes).toString('base64');
  return protocol === 'kitty' ? kittyCodes(base64) : iterm2Codes(base64, bytes.byteLength);
}

/**
 * Transmits and displays (`a=T`) a PNG (`f=100`) without an answer of the terminal (`q=2`), in pieces that say whether more
 * follows (`m`): https://sw.kovidgoyal.net/kitty/graphics-protocol/
 */
function kittyCodes(base64: string): string {
  const pieces = base64.match(new RegExp(`.{1,${CHUNK}}`, 'g')) ?? [];
  const codes = pieces.map((piece, i) => {
    const keys = [...(i === 0 ? ['a=T', 'f=100', 'q=2'] : []), `m=${i < pieces.length - 1 ? 1 : 0}`];
    return `\u001b_G${keys.join(',')};${piece}\u001b\\`;
  });
  return `${codes.join('')}\n`;
}

/** https://iterm2.com/documentation-images.html */
function iterm2Codes(base64: string, size: number): string {
  return `\u001b]1337;File=inline=1;size=${size};preserveAspectRatio=1:${base64}\u0007\n`;
}
