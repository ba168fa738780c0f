import { boundText } from '@app/kernel';
import type { Visit } from '../../pipeline/family.js';
import { INSTALLED_FONTS } from './font-coverage.js';
import type { MissingProbe, MissingSigns, ShownPart } from './read-missing.js';

/** Items of each list in the record. */
const MAX_ITEMS = 20;
/** Characters of a URL: lists of captures and webhooks have these, too. */
const MAX_URL = 500;

/** What the page is asked for, for a file that shows this part of it. */
export function missingProbe(part: ShownPart, isPrinted: boolean): MissingProbe {
  return { part, isPrinted, ...INSTALLED_FONTS.known() };
}

/** Notes for the record what the page shows nothing of: what it said itself, and what the network says about its frames. */
export function noteMissing(visit: Visit, signs: MissingSigns): void {
  const { facts } = visit;
  INSTALLED_FONTS.noteSigns(signs);
  const counts = new Map<string, number>();
  for (const { letter, count } of signs.letters) {
    const script = scriptOf(letter);
    counts.set(script, (counts.get(script) ?? 0) + count);
  }
  const addresses = (urls: readonly string[]): { url: string }[] =>
    [...new Set(urls.map(shownUrl))].slice(0, MAX_ITEMS).map((url) => ({ url }));
  facts.missing.glyphs = [...counts].slice(0, MAX_ITEMS).map(([script, count]) => ({ script, count }));
  facts.missing.images = addresses(signs.images.filter((url) => !isBlocked(visit, url)));
  facts.missing.frames = addresses(
    signs.frames.filter((frame) => isAbsent(visit, frame)).map(({ url }) => url),
  );
}

function isAbsent(visit: Visit, { url, isLazy }: MissingSigns['frames'][number]): boolean {
  if (!/^https?:/.test(url) || isBlocked(visit, url)) return false;
  const state = visit.frameLoads.stateOf(url);
  return state === undefined ? isLazy : state !== 'loaded';
}

/** An option blocks a request in the browser, or its host at the egress proxy. */
function isBlocked({ frameLoads, netErrorOf }: Visit, url: string): boolean {
  return frameLoads.isBlocked(url) || netErrorOf(url) === 'ERR_BLOCKED_BY_CLIENT';
}

/** A `data:` URL is cut after its media type. */
function shownUrl(url: string): string {
  const shown = url.startsWith('data:') ? url.split(/[;,]/, 1)[0] : url;
  return boundText('url', (shown ?? '').slice(0, MAX_URL));
}

/** The scripts of Unicode; JavaScript can only be asked whether a character is of one. */
const SCRIPTS = `
  Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki
  Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee
  Chorasmian Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan
  Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi
  Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inscriptional_Pahlavi
  Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer
  Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam
  Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive
  Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue
  Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic
  Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong Palmyrene
  Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham
  SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le
  Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Toto Ugaritic Vai
  Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square`
  .trim()
  .split(/\s+/)
  .map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }));

/** The name of a letter's script as Unicode writes it, with spaces; `Symbols` for what belongs to none, as emoji do. */
export function scriptOf(letter: string): string {
  if (/\p{Extended_Pictographic}/u.test(letter)) return 'Emoji';
  if (/\p{Co}/u.test(letter)) return 'Private use';
  return SCRIPTS.find(({ pattern }) => pattern.test(letter))?.name.replaceAll('_', ' ') ?? 'Symbols';
}
