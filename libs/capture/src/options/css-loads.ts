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

/** Functions whose strings, not only their `url()`, are addresses. */
const IMAGE_FUNCTIONS = new Set([
  'image-set',
  '-webkit-image-set',
  'image',
  'cross-fade',
  '-webkit-cross-fade',
]);
/** What may become an address only when the style is computed. */
const SUBSTITUTIONS = new Set(['var', 'attr', 'env', 'if', 'inherit']);

/**
 * Whether CSS, of a style sheet or of one declaration, loads anything but `data:` URLs and fragments of the document.
 *
 * It is read token by token as CSS Syntax 3 has it, so that escapes (`\75rl(`), comments and letter case hide nothing, in
 * one pass.
 */
export function loadsByCss(css: string): boolean {
  const open: string[] = [];
  return tokenize({ css }).some((token) => {
    const isLoad = isLoading(token, open.at(-1) ?? '');
    follow(token, open);
    return isLoad;
  });
}

/** @param within the innermost function around the token, in lower case; '' when there is none */
function isLoading(token: CSSToken, within: string): boolean {
  if (isTokenBadURL(token)) return true;
  if (isTokenURL(token)) return !isHarmlessAddress(token[4].value);
  if (isTokenAtKeyword(token)) return token[4].value.toLowerCase() === 'import';
  if (isTokenString(token)) return isAddressOf(within) && !isHarmlessAddress(token[4].value);
  if (!isTokenFunction(token)) return false;
  const name = token[4].value.toLowerCase();
  return name === 'src' || (isAddressOf(within) && isSubstitution(name));
}

function isAddressOf(name: string): boolean {
  return name === 'url' || IMAGE_FUNCTIONS.has(name);
}

function isSubstitution(name: string): boolean {
  return name.startsWith('--') || SUBSTITUTIONS.has(name);
}

/** Keeps the names of the functions, and '' for brackets, that are open. */
function follow(token: CSSToken, open: string[]): void {
  if (isTokenFunction(token)) open.push(token[4].value.toLowerCase());
  else if (OPENING.has(token[0])) open.push('');
  else if (CLOSING.has(token[0])) open.pop();
}

const OPENING = new Set<TokenType>([TokenType.OpenParen, TokenType.OpenSquare, TokenType.OpenCurly]);
const CLOSING = new Set<TokenType>([TokenType.CloseParen, TokenType.CloseSquare, TokenType.CloseCurly]);

/** One that nothing is fetched for: it holds what it names, or names a part of the document. */
export function isHarmlessAddress(address: string): boolean {
  const text = address.trim();
  return text === '' || text.startsWith('#') || /^data:/i.test(text);
}
