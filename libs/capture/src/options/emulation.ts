import type { Protocol } from 'puppeteer';
import type { Fault } from '@app/kernel';
import { findDevice } from './devices/presets.js';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { Choice, Decimal, Flag, Text } from '../pipeline/option-fields.js';
import type { ViewportOptions } from './viewport.js';

const MEDIA_TYPES = ['screen', 'print'] as const;

export class EmulationOptions {
  @Flag('Emulates a preference for a dark colour scheme.', { exposure: 'public' })
  dark_mode = false;

  @Flag('Emulates a preference for reduced motion.', { exposure: 'public' })
  reduced_motion = false;

  @Choice(
    MEDIA_TYPES,
    'Emulated CSS media type. Without it, `print` for PDF and `screen` for all other formats.',
    { exposure: 'public' },
  )
  media_type?: (typeof MEDIA_TYPES)[number];

  @Text('IANA time zone of the browser.', {
    exposure: 'public',
    max: 100,
    check: timezoneFault,
    example: 'Europe/Berlin',
  })
  timezone?: string;

  @Text(
    'BCP 47 language of the browser: `navigator.language`, `Accept-Language`, number and date formats. Without it, American English with `Accept-Language: en-US,en;q=0.9`.',
    { exposure: 'public', max: 35, check: localeFault, example: 'de-DE' },
  )
  locale?: string;

  @Decimal('Latitude of the emulated position; needs `longitude`.', {
    exposure: 'public',
    min: -90,
    max: 90,
    example: 52.52,
  })
  latitude?: number;

  @Decimal('Longitude of the emulated position; needs `latitude`.', {
    exposure: 'public',
    min: -180,
    max: 180,
    example: 13.4,
  })
  longitude?: number;

  @Decimal('Accuracy of the position in metres.', { exposure: 'public', min: 0, max: 100_000, fallback: 1 })
  accuracy?: number;

  @Text('User agent, instead of the one of the device or browser.', {
    exposure: 'public',
    max: 1_000,
    check: userAgentFault,
  })
  user_agent?: string;

  @Flag('Runs the scripts of the page.', { exposure: 'public' })
  javascript = true;
}

function timezoneFault(name: string): string | undefined {
  // Intl also accepts offsets such as +01:00; Chromium does not.
  return /^[A-Za-z]/.test(name) && canonicalTimezone(name) !== undefined
    ? undefined
    : 'must be an IANA time zone, such as Europe/Berlin';
}

/** Chromium needs the canonical spelling of a time zone; Intl accepts any letter case. */
function canonicalTimezone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

function localeFault(tag: string): string | undefined {
  return canonicalLocale(tag) === undefined ? 'must be a BCP 47 language tag, such as de-DE' : undefined;
}

function canonicalLocale(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

function userAgentFault(text: string): string | undefined {
  return /^[\x20-\x7e]+$/.test(text) ? undefined : 'must be printable ASCII on one line';
}

function check({ latitude, longitude, accuracy }: EmulationOptions): Fault[] {
  const needs = (name: string, other: string): Fault => ({
    pointer: `/${name}`,
    code: 'conflict',
    detail: `needs ${other}`,
  });
  if (latitude !== undefined && longitude === undefined) return [needs('latitude', 'longitude')];
  if (longitude !== undefined && latitude === undefined) return [needs('longitude', 'latitude')];
  if (accuracy !== undefined && latitude === undefined) return [needs('accuracy', 'latitude and longitude')];
  return [];
}

/** A position is never half the caller's and half the operator's. */
const decides = { latitude: ['longitude', 'accuracy'], longitude: ['latitude', 'accuracy'] };

/** The device has a user agent. */
type EmulationAndDevice = EmulationOptions & Pick<ViewportOptions, 'device'>;

/** In parallel: each is a round trip to the browser and independent of the others. */
async function prepare(visit: Visit, options: EmulationAndDevice): Promise<void> {
  await Promise.all([
    emulateMedia(visit, options),
    emulateLanguage(visit, options),
    emulatePlace(visit, options),
    options.timezone !== undefined &&
      visit.cdp.send('Emulation.setTimezoneOverride', {
        timezoneId: canonicalTimezone(options.timezone) ?? options.timezone,
      }),
    !options.javascript && visit.page.setJavaScriptEnabled(false),
  ]);
}

/**
 * Emulates the medium of a page on a session with it. The media type is that of the session that was opened last.
 *
 * @param isAgain whether the page may have another one, so that also the default is set
 */
export async function emulateMedia(
  { cdp }: Pick<Visit, 'cdp'>,
  options: Pick<EmulationOptions, 'dark_mode' | 'reduced_motion' | 'media_type'>,
  isAgain = false,
): Promise<void> {
  const features: Protocol.Emulation.MediaFeature[] = [
    ...(options.dark_mode ? [{ name: 'prefers-color-scheme', value: 'dark' }] : []),
    ...(options.reduced_motion ? [{ name: 'prefers-reduced-motion', value: 'reduce' }] : []),
  ];
  if (features.length === 0 && options.media_type === undefined && !isAgain) return;
  await cdp.send('Emulation.setEmulatedMedia', { media: options.media_type ?? '', features });
}

/** The user agent of the options or of the device; undefined for that of the browser. */
export function userAgentOf(options: Pick<EmulationAndDevice, 'device' | 'user_agent'>): string | undefined {
  const device = options.device === undefined ? undefined : findDevice(options.device);
  return options.user_agent ?? device?.user_agent ?? undefined;
}

async function emulateLanguage({ cdp, setUserAgent }: Visit, options: EmulationAndDevice): Promise<void> {
  const userAgent = userAgentOf(options);
  const locale = options.locale === undefined ? undefined : canonicalLocale(options.locale);
  if (userAgent === undefined && locale === undefined) return;
  await Promise.all([
    setUserAgent({
      ...(userAgent !== undefined && { userAgent }),
      ...(locale !== undefined && { languages: languagesOf(locale) }),
    }),
    locale !== undefined && cdp.send('Emulation.setLocaleOverride', { locale: locale.replaceAll('-', '_') }),
  ]);
}

/** The languages of a browser set to this locale: the language without its region comes second. */
function languagesOf(locale: string): string {
  const { language } = new Intl.Locale(locale);
  return language === locale ? locale : `${locale},${language}`;
}

async function emulatePlace({ cdp, context }: Visit, options: EmulationOptions): Promise<void> {
  const { latitude, longitude, accuracy = 1 } = options;
  if (latitude === undefined || longitude === undefined) return;
  await Promise.all([
    cdp.send('Emulation.setGeolocationOverride', { latitude, longitude, accuracy }),
    // For all origins, because the target may redirect; the grant is limited to this browser context.
    cdp.send('Browser.grantPermissions', { permissions: ['geolocation'], browserContextId: context.id }),
  ]);
}

export const emulation = defineFamily<EmulationAndDevice>(
  { name: 'emulation', doc: 'What the page sees of the browser and its user.' },
  EmulationOptions,
  { check, decides, prepare },
);
