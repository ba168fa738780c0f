import {
  isTokenAtKeyword,
  isTokenBadURL,
  isTokenFunction,
  isTokenString,
  isTokenURL,
  tokenize,
  TokenType,
  type CSSToken,
} from '@csstools/css-tokenizer';

/** Functions whose strings are URLs, besides their `url()`. */
const IMAGE_FUNCTIONS = new Set([
  'image-set',
  '-webkit-image-set',
  'image',
  'cross-fade',
  '-webkit-cross-fade',
]);
/** Functions that may produce a URL only when the style is computed. */
const SUBSTITUTIONS = new Set(['var', 'attr', 'env', 'if', 'inherit']);

/**
 * Whether CSS, a style sheet or one declaration, loads anything but `data:` URLs and fragments of the document.
 *
 * It reads the tokens of CSS Syntax 3 in one pass, so that escapes (`\75rl(`), comments and letter case hide nothing.
 */
export function loadsByCss(css: string): boolean {
  const open: string[] = [];
  return tokenize({ css }).some((token) => {
    const isLoad = isLoading(token, open.at(-1) ?? '');
    updateOpen(token, open);
    return isLoad;
  });
}

/** @param within name of the innermost function around the token, in lower case; '' when there is none */
function isLoading(token: CSSToken, within: string): boolean {
  if (isTokenBadURL(token)) return true;
  if (isTokenURL(token)) return !isHarmlessUrl(token[4].value);
  if (isTokenAtKeyword(token)) return token[4].value.toLowerCase() === 'import';
  if (isTokenString(token)) return takesUrl(within) && !isHarmlessUrl(token[4].value);
  if (!isTokenFunction(token)) return false;
  const name = token[4].value.toLowerCase();
  return name === 'src' || (takesUrl(within) && isSubstitution(name));
}

function takesUrl(name: string): boolean {
  return name === 'url' || IMAGE_FUNCTIONS.has(name);
}

function isSubstitution(name: string): boolean {
  return name.startsWith('--') || SUBSTITUTIONS.has(name);
}

/** Updates the stack of open functions by name, with '' for brackets. */
function updateOpen(token: CSSToken, open: string[]): void {
  if (isTokenFunction(token)) open.push(token[4].value.toLowerCase());
  else if (OPENING.has(token[0])) open.push('');
  else if (CLOSING.has(token[0])) open.pop();
}

const OPENING = new Set<TokenType>([TokenType.OpenParen, TokenType.OpenSquare, TokenType.OpenCurly]);
const CLOSING = new Set<TokenType>([TokenType.CloseParen, TokenType.CloseSquare, TokenType.CloseCurly]);

/** Whether nothing is fetched for a URL: it is empty, a `data:` URL or a fragment. */
export function isHarmlessUrl(url: string): boolean {
  const text = url.trim();
  return text === '' || text.startsWith('#') || /^data:/i.test(text);
}
