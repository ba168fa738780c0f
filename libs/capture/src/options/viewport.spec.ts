import { describe, expect, it } from '@jest/globals';
import { resolveViewport, type ViewportOptions } from './viewport.js';

const phone = { width: 393, height: 659, deviceScaleFactor: 3, isMobile: true, hasTouch: true };
const turnedPhone = { ...phone, width: 734, height: 343 };

describe(resolveViewport.name, () => {
  it('is 1280 × 800 at scale 1 by default', () => {
    expect(resolveViewport({})).toEqual({
      width: 1280,
      height: 800,
      deviceScaleFactor: 1,
      isMobile: false,
      hasTouch: false,
      isLandscape: true,
    });
  });

  it.each<[ViewportOptions, object]>([
    [{ device: 'IPHONE-15-PRO' }, { ...phone, isLandscape: false }],
    [
      { device: 'iphone-15-pro', landscape: true },
      { ...turnedPhone, isLandscape: true },
    ],
    [{ device: 'iphone-15-pro-landscape' }, { ...turnedPhone, isLandscape: true }],
    [
      { device: 'iphone-15-pro-landscape', landscape: true },
      { ...turnedPhone, isLandscape: true },
    ],
    [
      { device: 'iphone-15-pro-landscape', landscape: false },
      { ...phone, isLandscape: false },
    ],
    [
      { device: 'iphone-15-pro', landscape: false },
      { ...phone, isLandscape: false },
    ],
  ])('takes %j from the list of devices', (options, expected) => {
    expect(resolveViewport(options)).toEqual(expected);
  });

  it.each<[ViewportOptions, object]>([
    [
      { device: 'iphone-15-pro', viewport_width: 500 },
      { width: 500, height: 659, isMobile: true },
    ],
    [
      { device: 'iphone-15-pro', device_scale_factor: 1 },
      { width: 393, deviceScaleFactor: 1 },
    ],
    [
      { device: 'iphone-15-pro', mobile: false },
      { isMobile: false, hasTouch: true },
    ],
    [
      { device: 'iphone-15-pro', touch: false },
      { isMobile: true, hasTouch: false },
    ],
    [
      { device: 'desktop-1920x1080', touch: true },
      { width: 1920, hasTouch: true },
    ],
  ])('prefers the option in %j over the device', (options, expected) => {
    expect(resolveViewport(options)).toMatchObject(expected);
  });

  it.each<[ViewportOptions, [number, number]]>([
    [{ landscape: true }, [1280, 800]],
    [{ landscape: false }, [1280, 800]],
    [{ viewport_width: 400, viewport_height: 900, landscape: true }, [900, 400]],
    [{ viewport_width: 400, viewport_height: 900, landscape: false }, [400, 900]],
    // No preset of the turned desktop, so its sides are swapped.
    [{ device: 'desktop-1920x1080', landscape: false }, [1080, 1920]],
    [{ device: 'desktop-1920x1080', landscape: true }, [1920, 1080]],
    // The turned device has its sides in order, and a given one stays what it is.
    [{ device: 'iphone-15-pro', landscape: true, viewport_height: 1000 }, [734, 1000]],
  ])('turns the window of %j to %j', (options, [width, height]) => {
    expect(resolveViewport(options)).toMatchObject({ width, height });
  });
});
