/**
 * The writing systems of more than ten million people, and those that their fonts hold besides: some words of each, and the
 * Debian package with a font for them. The words have the letters that partial fonts lack, and marks that combine with them.
 * The image of the Dockerfile installs the same packages. The fonts for scripts other than Latin, Greek and Cyrillic have few
 * Latin letters or none, and come after Liberation and DejaVu, so that they change no picture of a Latin page.
 *
 * @typedef {object} WritingSystem
 * @property {string} name
 * @property {string} words
 * @property {string} package
 * @property {string[]} [families] Where a font with one of these names is needed: pages name it, and break lines by its widths.
 * @property {boolean} [isColoured] Whether a font in one colour does not do.
 */

const LIBERATION = 'fonts-liberation';
const DEJAVU = 'fonts-dejavu-core';
const NOTO = 'fonts-noto-ui-core';
const ZEN_HEI = 'fonts-wqy-zenhei';

/** @type {readonly WritingSystem[]} */
export const WRITING_SYSTEMS = [
  { name: 'Latin', words: 'façade Łódź', package: LIBERATION, families: ['Liberation Sans', 'Arial'] },
  { name: 'Vietnamese', words: 'Tiếng Việt đường', package: DEJAVU },
  { name: 'Greek', words: 'Ελληνική γλώσσα', package: DEJAVU },
  { name: 'Cyrillic', words: 'русский їжак қазақ', package: DEJAVU },
  { name: 'Armenian', words: 'Հայերեն և', package: DEJAVU },
  { name: 'Georgian', words: 'ქართული', package: DEJAVU },
  { name: 'Hebrew', words: 'עברית שָׁלוֹם', package: DEJAVU },
  { name: 'Arabic', words: 'العَرَبِيّة فارسی', package: DEJAVU },
  { name: 'Urdu', words: 'اُردو میں ہے ٹڈڑ', package: NOTO },
  { name: 'Devanagari', words: 'हिन्दी क्षत्रिय मराठी ळ', package: NOTO },
  { name: 'Bengali', words: 'বাংলা ক্ষুদ্র অসমীয়া ৰৱ', package: NOTO },
  { name: 'Gurmukhi', words: 'ਪੰਜਾਬੀ ਸ਼੍ਰੀ', package: NOTO },
  { name: 'Gujarati', words: 'ગુજરાતી ક્ષ', package: NOTO },
  { name: 'Odia', words: 'ଓଡ଼ିଆ କ୍ଷ', package: NOTO },
  { name: 'Tamil', words: 'தமிழ் ஸ்ரீ', package: NOTO },
  { name: 'Telugu', words: 'తెలుగు క్ష', package: NOTO },
  { name: 'Kannada', words: 'ಕನ್ನಡ ಕ್ಷ', package: NOTO },
  { name: 'Malayalam', words: 'മലയാളം ക്ഷ ൻ', package: NOTO },
  { name: 'Sinhala', words: 'සිංහල ශ්‍රී', package: NOTO },
  { name: 'Thai', words: 'ภาษาไทย ที่นี่', package: NOTO },
  { name: 'Lao', words: 'ພາສາລາວ ທີ່ນີ້', package: NOTO },
  { name: 'Khmer', words: 'ភាសាខ្មែរ ព្រះ', package: NOTO },
  { name: 'Burmese', words: 'မြန်မာဘာသာ ကျွန်ုပ်', package: NOTO },
  { name: 'Ethiopic', words: 'አማርኛ ኢትዮጵያ ትግርኛ', package: 'fonts-sil-abyssinica' },
  { name: 'Chinese', words: '汉语简体 漢語繁體 這這门門', package: ZEN_HEI },
  { name: 'Japanese', words: '日本語 ひらがな カタカナー 々', package: ZEN_HEI },
  { name: 'Korean', words: '안녕하세요 한국어 쿼', package: ZEN_HEI },
  { name: 'emoji', words: '😀🚀', package: 'fonts-noto-color-emoji', isColoured: true },
];

/** All packages, which the Dockerfile names, too. */
export const FONT_PACKAGES = [...new Set(WRITING_SYSTEMS.map((system) => system.package))].sort();

/** What is drawn by itself: not the spaces, and not the joiners that only act on their neighbours. */
const UNDRAWN = /[\s\p{Default_Ignorable_Code_Point}]/u;

/**
 * The letters and marks of the words, each once.
 *
 * @param {WritingSystem} system
 */
export const lettersOf = ({ words }) => [...new Set(words)].filter((letter) => !UNDRAWN.test(letter));
