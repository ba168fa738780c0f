import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { parse } from 'yaml';
import { DialogWords } from './dialog-words.js';

interface Translation {
  readonly name: string;
  readonly question: string;
  readonly accept: string;
  readonly reject: string;
}

const CONSENT = 'node_modules/klaro/src/translations';
const LANGUAGES = 'node_modules/tarteaucitronjs/lang';

/** The texts of klaro. Its Chinese ones are those of a machine: they read "The whole order" and "No matter". */
function textsOfKlaro(): Translation[] {
  const files = readdirSync(CONSENT).filter((each) => /^\w+\.yml$/.test(each) && each !== 'zh.yml');
  return files.flatMap((file) => {
    const { acceptAll, decline, consentNotice } = parse(readFileSync(`${CONSENT}/${file}`, 'utf8')) as {
      readonly acceptAll?: string;
      readonly decline?: string;
      readonly consentNotice: { readonly description: string };
    };
    const question = consentNotice.description;
    const name = `klaro ${file}`;
    return acceptAll && decline ? [{ name, question, accept: acceptAll, reject: decline }] : [];
  });
}

/** The texts of tarteaucitron, whose files assign them to a global variable. */
function textsOfTarteaucitron(): Translation[] {
  const files = readdirSync(LANGUAGES).filter((name) => /^tarteaucitron\.\w+\.js$/.test(name));
  return files.map((name) => {
    const tarteaucitron: { lang?: Readonly<Record<string, string>> } = {};
    runInNewContext(readFileSync(`${LANGUAGES}/${name}`, 'utf8'), { tarteaucitron });
    const { alertBigPrivacy = '', acceptAll = '', denyAll = '' } = tarteaucitron.lang ?? {};
    return { name, question: alertBigPrivacy, accept: acceptAll, reject: denyAll };
  });
}

const TRANSLATIONS = [...textsOfKlaro(), ...textsOfTarteaucitron()];
const words = new DialogWords();

describe(DialogWords.name, () => {
  it('is held against at least 50 translations', () => {
    expect(TRANSLATIONS.length).toBeGreaterThanOrEqual(50);
  });

  it.each(TRANSLATIONS)('knows what the dialog of $name asks and its buttons answer', (texts) => {
    const { question, accept, reject } = texts;
    expect(words.asksForConsent(question, ['accept', 'reject'])).toBe(true);
    expect(new RegExp(words.topics(), 'iu').test(question)).toBe(true);
    expect([words.answerOf(accept), words.answerOf(reject)]).toEqual(['accept', 'reject']);
  });

  it.each([
    ['Only necessary cookies', 'reject'],
    ['Continue without accepting', 'reject'],
    ['Continuer sans accepter', 'reject'],
    ['Nur notwendige Cookies', 'reject'],
    ['必須のみ', 'reject'],
    ['Accept necessary cookies', undefined],
    ['Accept or reject', undefined],
    ['Manage preferences', 'settings'],
    ['No, thanks', 'close'],
    ['×', 'close'],
    ['Schließen', 'close'],
    ['Subscribe', undefined],
    ['', undefined],
    [`I accept that ${'this is a sentence about something '.repeat(3)}`, undefined],
  ])('says that %j means %j', (text, answer) => {
    expect(words.answerOf(text)).toBe(answer);
  });

  it.each([
    ['We use cookies. You must be over 18 to enter.', true],
    ['Subscribe to continue reading. We use cookies.', true],
    ['You have 2 free articles left.', true],
    ['Join our newsletter and save 10 %.', false],
  ])('says of %j whether it is a gate: %j', (text, isGate) => {
    expect(words.isGate(text)).toBe(isGate);
  });

  it('takes an age gate that mentions cookies for no request for consent', () => {
    expect(words.asksForConsent('You must be over 18. We use cookies.', ['accept', 'reject'])).toBe(false);
  });

  it('takes a text about personal data for a request for consent only beside both answers', () => {
    const text = 'We respect your privacy.';
    expect(words.asksForConsent(text, ['accept', 'reject'])).toBe(true);
    expect(words.asksForConsent(text, ['accept', 'settings'])).toBe(false);
  });
});
