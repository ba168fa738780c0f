import type { Protocol, Viewport } from 'puppeteer';
import type { Fault } from '@app/kernel';
import { findDevice, nearestDeviceId, turnedDevice } from './devices/presets.js';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { Decimal, Flag, Text, Whole } from '../pipeline/option-fields.js';
import { scrollToStart } from '../full-page/page-undo.js';
import { settleLayout } from '../readiness/settle-layout.js';
import { sumOfWaits } from '../record/readiness.js';
import type { WaitingOptions } from './waiting.js';

const DEFAULTS = {
  viewport_width: 1_280,
  viewport_height: 800,
  device_scale_factor: 1,
  mobile: false,
  touch: false,
  landscape: false,
};

/** No image can be larger, and a browser that tries runs out of memory. */
const MAX_PIXELS = 100_000_000;

/** Fields without a default depend on the device; `resolveViewport` applies the defaults. */
export class ViewportOptions {
  @Text(
    'Id of a device (`GET /v1/devices`) whose viewport, scale, touch screen and user agent are emulated. Other options override each of them.',
    { exposure: 'public', max: 100, check: deviceFault, example: 'iphone-15-pro' },
  )
  device?: string;

  @Whole('Width of the window in CSS px.', {
    exposure: 'public',
    min: 16,
    max: 7_680,
    fallback: DEFAULTS.viewport_width,
    alsoCalled: ['width', 'viewport'],
  })
  viewport_width?: number;

  @Whole('Height of the window in CSS px.', {
    exposure: 'public',
    min: 16,
    max: 7_680,
    fallback: DEFAULTS.viewport_height,
    alsoCalled: ['height'],
  })
  viewport_height?: number;

  @Decimal('Device px per CSS px.', {
    exposure: 'public',
    min: 0.5,
    max: 4,
    fallback: DEFAULTS.device_scale_factor,
    alsoCalled: ['scale', 'scale_factor', 'dpr', 'pixel_ratio', 'device_pixel_ratio', 'retina'],
  })
  device_scale_factor?: number;

  @Flag('Follows the `viewport` meta tag and shows overlay scrollbars, like a phone.', {
    exposure: 'public',
    fallback: DEFAULTS.mobile,
    alsoCalled: ['is_mobile'],
  })
  mobile?: boolean;

  @Flag('Emulates a touch screen.', {
    exposure: 'public',
    fallback: DEFAULTS.touch,
    alsoCalled: ['has_touch'],
  })
  touch?: boolean;

  @Flag('Uses landscape orientation: the longer side becomes the width.', {
    exposure: 'public',
    fallback: DEFAULTS.landscape,
  })
  landscape?: boolean;
}

function deviceFault(id: string): string | undefined {
  if (findDevice(id)) return undefined;
  const near = nearestDeviceId(id);
  return `is not a known device${near === undefined ? '; GET /v1/devices lists them' : `; did you mean ${near}?`}`;
}

type ViewportAndWaiting = ViewportOptions & Pick<WaitingOptions, 'wait_until' | 'ready_timeout_ms'>;

/** Maximum wait for scripts that react to a new window, where `ready_timeout_ms` does not say it. */
const QUIET_MS = 3_000;

/** A caller who sends one of these does not want the device of the operator. */
const WINDOW = ['viewport_width', 'viewport_height', 'device_scale_factor', 'mobile', 'touch'];

const decides = {
  // Options override the device, so the operator's would change the device of a caller.
  device: [...WINDOW, 'landscape', 'user_agent'],
  ...Object.fromEntries(WINDOW.map((name) => [name, ['device']])),
  // A landscape window would swap the width and the height.
  viewport_width: ['device', 'landscape'],
  viewport_height: ['device', 'landscape'],
};

/** The viewport of a capture: options first, then the device, then the defaults. */
export function resolveViewport(options: ViewportOptions): Required<Viewport> {
  const known = options.device === undefined ? undefined : findDevice(options.device);
  const isTurned = known !== undefined && (options.landscape ?? known.landscape) !== known.landscape;
  const turned = isTurned ? turnedDevice(known) : undefined;
  const base = { ...DEFAULTS, ...(turned ?? known) };
  const landscape = options.landscape ?? base.landscape;
  const width = options.viewport_width ?? base.viewport_width;
  const height = options.viewport_height ?? base.viewport_height;
  // A preset of the turned device has the right width and height; otherwise they must be swapped.
  const mustSwap = turned === undefined && (landscape ? width < height : isTurned && width > height);
  const size = mustSwap ? { width: height, height: width } : { width, height };
  return {
    ...size,
    deviceScaleFactor: options.device_scale_factor ?? base.device_scale_factor,
    isMobile: options.mobile ?? base.mobile,
    hasTouch: options.touch ?? base.touch,
    isLandscape: size.width > size.height,
  };
}

function check(options: ViewportOptions): Fault[] {
  const { width, height, deviceScaleFactor } = resolveViewport(options);
  if (width * height * deviceScaleFactor ** 2 <= MAX_PIXELS) return [];
  const detail = 'makes the window more than 100 megapixels with its scale';
  return [{ pointer: '/viewport_height', code: 'out_of_range', detail }];
}

/** The screen that browsers start with (launch-args.ts), the most common one of desktops. */
const SCREEN = { width: 1_920, height: 1_080 };

/** The screen of a desktop device, or the default screen, and at least the size of the window. A phone's is its window. */
export function screenOf(
  options: ViewportOptions,
  { width, height, isMobile }: Required<Viewport>,
): typeof SCREEN {
  if (isMobile) return { width, height };
  const device = options.device === undefined ? undefined : findDevice(options.device);
  const { device: id, landscape } = options;
  const screen = device?.category === 'desktop' ? resolveViewport({ device: id, landscape }) : SCREEN;
  return { width: Math.max(screen.width, width), height: Math.max(screen.height, height) };
}

async function prepare(visit: Visit, options: ViewportOptions): Promise<void> {
  const { page, cdp } = visit;
  const { viewport: wanted, metrics } = Object.assign(visit, windowOf(options));
  if (!isSame(page.viewport(), wanted)) await page.setViewport(wanted);
  const isDefault = metrics.screenWidth === SCREEN.width && metrics.screenHeight === SCREEN.height;
  // Our own CDP session needs them besides Puppeteer's: without the scale it would draw CSS px, and Puppeteer sets no screen.
  if (wanted.deviceScaleFactor !== 1 || wanted.isMobile || !isDefault) {
    await cdp.send('Emulation.setDeviceMetricsOverride', metrics);
  }
}

/** Takes another window, and waits for what the page does about it. */
async function settleAgain(visit: Visit, options: ViewportAndWaiting): Promise<void> {
  const quietMs = options.wait_until === 'auto' ? options.ready_timeout_ms : QUIET_MS;
  const change = (): Promise<void> => changeViewport(visit, options);
  const readiness = await settleLayout(visit, change, quietMs);
  await scrollToStart(visit, false);
  const { facts } = visit;
  if (!readiness || !facts.readiness) return;
  // The record says what was missing wherever something was.
  const worse = readiness.by === 'timeout' ? readiness : facts.readiness;
  facts.readiness = { ...worse, ...sumOfWaits(facts.readiness, readiness) };
}

/**
 * Gives the page that has loaded another window. It does not load the page again, as Puppeteer does when a touch screen or a
 * phone comes or goes. The user agent stays that of the navigation.
 */
async function changeViewport(visit: Visit, options: ViewportOptions): Promise<void> {
  const before = visit.viewport.deviceScaleFactor;
  const { viewport: wanted } = Object.assign(visit, windowOf(options));
  const hasOtherDensity = wanted.deviceScaleFactor !== before;
  await Promise.all([
    visit.cdp.send('Emulation.setDeviceMetricsOverride', visit.metrics),
    visit.cdp.send('Emulation.setTouchEmulationEnabled', { enabled: wanted.hasTouch }),
  ]);
  if (hasOtherDensity) await loadFontsAgain(visit);
}

/**
 * Makes the page place its text as if it had been loaded with this density. Chromium decides with the first use of a font whether
 * letters may begin between two px, and keeps it. Setting font families, even none, makes it forget; a session can do so once.
 */
async function loadFontsAgain({ page }: Visit): Promise<void> {
  const cdp = await page.createCDPSession();
  try {
    await cdp.send('Page.setFontFamilies', { fontFamilies: {} });
  } finally {
    await cdp.detach();
  }
}

/** Equal for options that give a page the same window. */
export function viewportKey(options: ViewportOptions): string {
  const { viewport: wanted, metrics } = windowOf(options);
  return JSON.stringify(metrics) + String(wanted.hasTouch);
}

/** The window of a capture, as Puppeteer and as the browser take it. */
export function windowOf(options: ViewportOptions): Pick<Visit, 'viewport' | 'metrics'> {
  const wanted = resolveViewport(options);
  return { viewport: wanted, metrics: metricsOf(wanted, screenOf(options, wanted)) };
}

function metricsOf(
  { width, height, deviceScaleFactor, isMobile: mobile, isLandscape }: Required<Viewport>,
  screen: typeof SCREEN,
): Protocol.Emulation.SetDeviceMetricsOverrideRequest {
  return {
    width,
    height,
    deviceScaleFactor,
    mobile,
    screenWidth: screen.width,
    screenHeight: screen.height,
    screenOrientation: isLandscape
      ? { type: 'landscapePrimary', angle: 90 }
      : { type: 'portraitPrimary', angle: 0 },
  };
}

/** Pages are created with the default viewport, so that most captures need no change. */
function isSame(current: Viewport | null, wanted: Required<Viewport>): boolean {
  return (
    current !== null &&
    current.width === wanted.width &&
    current.height === wanted.height &&
    (current.deviceScaleFactor ?? 1) === wanted.deviceScaleFactor &&
    (current.isMobile ?? false) === wanted.isMobile &&
    (current.hasTouch ?? false) === wanted.hasTouch &&
    (current.isLandscape ?? false) === wanted.isLandscape
  );
}

export const viewport = defineFamily<ViewportOptions, ViewportAndWaiting>(
  { name: 'viewport', doc: 'The viewport and the device.' },
  ViewportOptions,
  {
    check,
    decides,
    prepare,
    settleAgain,
  },
);
