import { isCookieOf, type BrowserState, type OriginState, type StateCookie } from '@app/capture';
import { AppError, isPlainObject, type Fault } from '@app/kernel';

/** A state has at most this many characters as JSON: it is read for each capture. */
export const MAX_STATE_LENGTH = 1_000_000;

type Given = Readonly<Record<string, unknown>>;
/** Whether a field has the right type, and what it must be. */
type Rule = readonly [isValid: (value: unknown) => boolean, mustBe: string];
type Rules = Readonly<Record<string, Rule>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isOptional =
  (isValid: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || isValid(value);
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isAny = (): boolean => true;

const TEXT: Rule = [isText, 'must be a string'];
const FLAG: Rule = [isOptional((value) => typeof value === 'boolean'), 'must be true or false'];
const ANYTHING: Rule = [isAny, ''];
const LIST: Rule = [isOptional(Array.isArray), 'must be a list'];
const SAME_SITES = ['Strict', 'Lax', 'None'];

/** As Playwright writes a cookie; Puppeteer and browser extensions add fields, which are passed over. */
const COOKIE: Rules = {
  name: TEXT,
  value: TEXT,
  domain: [
    (value) => isText(value) && /^\.?[a-z0-9_[\]:-]+(\.[a-z0-9_-]+)*$/i.test(value as string),
    'must be a domain',
  ],
  path: [isOptional((value) => isText(value) && (value as string).startsWith('/')), 'must start with /'],
  expires: [isOptional((value) => Number.isFinite(value)), 'must be seconds since 1970, or -1'],
  httpOnly: FLAG,
  secure: FLAG,
  sameSite: [
    isOptional((value) => SAME_SITES.includes(value as string)),
    `must be one of ${SAME_SITES.join(', ')}`,
  ],
  partitionKey: [
    isOptional((value) => partitionOf(value) !== null),
    'must be a site, such as https://example.com',
  ],
};
const STORED_TEXT: Rules = { name: TEXT, value: TEXT };
const KEY_PATH: Rules = {
  keyPath: [isOptional(isText), 'must be a string'],
  keyPathArray: [isOptional(isTextList), 'must be a list of strings'],
};
const RECORD: Rules = { key: ANYTHING, keyEncoded: ANYTHING, value: ANYTHING, valueEncoded: ANYTHING };
const INDEX: Rules = { name: TEXT, ...KEY_PATH, multiEntry: FLAG, unique: FLAG };
const STORE: Rules = { name: TEXT, ...KEY_PATH, autoIncrement: FLAG, indexes: LIST, records: LIST };
const DATABASE: Rules = {
  name: TEXT,
  version: [
    (value) => Number.isSafeInteger(value) && (value as number) > 0,
    'must be a whole number above 0',
  ],
  stores: LIST,
};
const ORIGIN: Rules = { origin: TEXT, localStorage: LIST, sessionStorage: LIST, indexedDB: LIST };
const STATE: Rules = { cookies: LIST, origins: LIST };

/** What the items of the lists of a field are. */
const ITEMS: Readonly<Record<string, Rules>> = {
  cookies: COOKIE,
  origins: ORIGIN,
  localStorage: STORED_TEXT,
  sessionStorage: STORED_TEXT,
  indexedDB: DATABASE,
  stores: STORE,
  indexes: INDEX,
  records: RECORD,
};

/** The faults of a state in the format of Playwright's `storageState`, whose values they never repeat. */
export function stateFaults(raw: unknown, pointer: string): Fault[] {
  return faultsIn(raw, STATE, pointer).slice(0, MAX_FAULTS);
}

const MAX_FAULTS = 20;

function faultsIn(raw: unknown, rules: Rules, pointer: string): Fault[] {
  if (!isPlainObject(raw)) return [{ pointer, code: 'wrong_type', detail: 'must be a JSON object' }];
  const unknown = Object.keys(raw)
    .filter((name) => !Object.hasOwn(rules, name) && rules !== COOKIE)
    .map((name) => ({
      pointer: `${pointer}/${name.slice(0, 100).toWellFormed()}`,
      code: 'unknown_field',
      detail: 'is not a known field',
    }));
  const own = Object.entries(rules).flatMap(([name, [isValid, mustBe]]): Fault[] => {
    const at = `${pointer}/${name}`;
    const value = raw[name];
    if (!isValid(value))
      return [{ pointer: at, code: value === undefined ? 'required' : 'wrong_type', detail: mustBe }];
    const items = ITEMS[name];
    if (!items || !Array.isArray(value)) return [];
    return value.flatMap((item, i) => faultsIn(item, items, `${at}/${i}`));
  });
  return [...unknown, ...own];
}

/**
 * The state without what does not belong to the origins.
 *
 * @param given a value without `stateFaults`
 * @throws AppError `payload_too_large`
 */
export function readStateFor(origins: readonly string[], given: unknown): BrowserState {
  const { cookies, origins: stored } = given as { readonly cookies?: Given[]; readonly origins?: Given[] };
  const state = {
    cookies: (cookies ?? []).map(toCookie).filter((cookie) => isCookieOf(origins, cookie)),
    origins: (stored ?? []).map(toOrigin).filter(({ origin }) => origins.includes(origin)),
  };
  if (JSON.stringify(state).length <= MAX_STATE_LENGTH) return state;
  throw new AppError('payload_too_large', {
    detail: `The state of a session has at most ${MAX_STATE_LENGTH} characters as JSON.`,
  });
}

function toCookie(given: Given): StateCookie {
  const {
    name,
    value,
    domain,
    path = '/',
    expires = -1,
    httpOnly = false,
    secure = false,
  } = given as unknown as StateCookie;
  const { sameSite, partitionKey } = given as { sameSite?: StateCookie['sameSite']; partitionKey?: unknown };
  const partition = partitionOf(partitionKey);
  return {
    name,
    value,
    domain,
    path,
    expires,
    httpOnly,
    secure,
    ...(sameSite && { sameSite }),
    ...(partition && { partitionKey: partition }),
  };
}

/** Playwright writes the site alone, Puppeteer an object. */
function partitionOf(given: unknown): NonNullable<StateCookie['partitionKey']> | null {
  if (isText(given)) return { topLevelSite: given as string, hasCrossSiteAncestor: false };
  if (!isPlainObject(given)) return null;
  const { topLevelSite, sourceOrigin = topLevelSite, hasCrossSiteAncestor = false } = given;
  if (!isText(sourceOrigin)) return null;
  return { topLevelSite: sourceOrigin as string, hasCrossSiteAncestor: hasCrossSiteAncestor === true };
}

function toOrigin(given: Given): OriginState {
  const { origin, localStorage = [], sessionStorage, indexedDB } = given as unknown as OriginState;
  const databases = indexedDB?.map(({ name, version, stores = [] }) => ({
    name,
    version,
    stores: stores.map(({ autoIncrement = false, indexes = [], records = [], ...store }) => ({
      ...store,
      autoIncrement,
      records,
      indexes: indexes.map(({ multiEntry = false, unique = false, ...index }) => ({
        ...index,
        multiEntry,
        unique,
      })),
    })),
  }));
  return {
    origin,
    localStorage,
    ...(sessionStorage && { sessionStorage }),
    ...(databases && { indexedDB: databases }),
  };
}
