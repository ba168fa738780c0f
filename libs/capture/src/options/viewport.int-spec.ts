import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Site } from '../../../../test/support/site.js';
import type { Visit } from '../pipeline/family.js';
import { Visits } from './visits.conformance.js';
import { evaluate } from '../../../../test/support/browser.js';

const PAGE = '<meta name="viewport" content="width=device-width"><p>window';
const site = new Site({ '/': PAGE, '/wide': '<meta name="viewport" content="width=500"><p>wide' });
const visits = new Visits();

beforeAll(async () => {
  await Promise.all([site.open(), visits.open()]);
});

afterAll(async () => {
  await Promise.all([site.close(), visits.close()]);
});

function windowOf({ page }: Visit) {
  return evaluate(page, () => ({
    width: innerWidth,
    height: innerHeight,
    scale: devicePixelRatio,
    touch: 'ontouchstart' in window && navigator.maxTouchPoints > 0,
    orientation: screen.orientation.type,
    screen: [screen.width, screen.height],
    isWithinScreen: innerWidth <= screen.availWidth && innerHeight <= screen.availHeight,
    userAgent: navigator.userAgent,
  }));
}

const windowWith = (options: Record<string, unknown>, path = '/') =>
  visits.readFrom({ url: site.url(path), ...options }, windowOf);

describe('viewport options', () => {
  it('are 1280 × 800 at scale 1 without touch by default', async () => {
    const found = await windowWith({});
    expect(found).toMatchObject({ width: 1280, height: 800, scale: 1, touch: false });
  });

  it.each([
    [{}, [1920, 1080], 'landscape-primary'],
    [{ viewport_width: 1_920, viewport_height: 1_080 }, [1920, 1080], 'landscape-primary'],
    [{ viewport_width: 2_560, viewport_height: 900 }, [2560, 1080], 'landscape-primary'],
    [
      { viewport_width: 500, viewport_height: 2_000, device_scale_factor: 2 },
      [1920, 2000],
      'portrait-primary',
    ],
    [{ device: 'macbook-air-13' }, [1440, 900], 'landscape-primary'],
    [{ device: 'desktop-2560x1440', viewport_width: 1_000 }, [2560, 1440], 'landscape-primary'],
    [{ device: 'desktop-2560x1440', landscape: false }, [1440, 2560], 'portrait-primary'],
    [{ device: 'iphone-15-pro' }, [393, 659], 'portrait-primary'],
    [{ device: 'iphone-15-pro', landscape: true }, [734, 343], 'landscape-primary'],
  ])('put the window of %j on a screen of at least its size', async (options, screen, orientation) => {
    expect(await windowWith(options)).toMatchObject({ screen, orientation, isWithinScreen: true });
  });

  it('set width, height and scale', async () => {
    const found = await windowWith({ viewport_width: 640, viewport_height: 480, device_scale_factor: 2.5 });
    expect(found).toMatchObject({ width: 640, height: 480, scale: 2.5 });
  });

  it('take everything from the device', async () => {
    const found = await windowWith({ device: 'iPhone-15-Pro' });
    expect(found).toMatchObject({ width: 393, height: 659, scale: 3, touch: true });
    expect(found.orientation).toBe('portrait-primary');
    expect(found.userAgent).toContain('iPhone');
  });

  it('turn the device with landscape', async () => {
    const found = await windowWith({ device: 'iphone-15-pro', landscape: true });
    expect(found).toMatchObject({ width: 734, height: 343, orientation: 'landscape-primary' });
  });

  it('turn a landscape device back with landscape false', async () => {
    const found = await windowWith({ device: 'iphone-15-pro-landscape', landscape: false });
    expect(found).toMatchObject({ width: 393, height: 659, orientation: 'portrait-primary' });
  });

  it('prefer touch false over the device', async () => {
    expect(await windowWith({ device: 'pixel-5', touch: false })).toMatchObject({ touch: false, width: 393 });
  });

  it('give a touch screen to a desktop window', async () => {
    expect(await windowWith({ touch: true })).toMatchObject({ touch: true, width: 1280 });
  });

  it('follow the viewport meta tag only when mobile', async () => {
    const size = { viewport_width: 360, viewport_height: 640 };
    expect(await windowWith({ ...size, mobile: true }, '/wide')).toMatchObject({ width: 500 });
    expect(await windowWith({ ...size, mobile: false }, '/wide')).toMatchObject({ width: 360 });
    expect(await windowWith({ device: 'pixel-5', mobile: false }, '/wide')).toMatchObject({ width: 393 });
  });
});
