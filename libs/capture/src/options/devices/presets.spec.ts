import { KnownDevices } from 'puppeteer';
import { describe, expect, it } from '@jest/globals';
import { devicePresets, findDevice, nearestDeviceId, renderDevicePresets, turnedDevice } from './presets.js';

describe('device presets', () => {
  const presets = devicePresets();

  it('have an id each, in kebab case, and a name each', () => {
    expect(new Set(presets.map(({ id }) => id)).size).toBe(presets.length);
    expect(new Set(presets.map(({ name }) => name)).size).toBe(presets.length);
    expect(presets.filter(({ id }) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))).toEqual([]);
  });

  it('are all of Puppeteer’s devices and desktops', () => {
    const mobile = presets.filter(({ category }) => category !== 'desktop');
    expect(mobile).toHaveLength(Object.keys(KnownDevices).length);
    expect(presets.length - mobile.length).toBeGreaterThanOrEqual(10);
  });

  it('are found in any case', () => {
    expect(findDevice('iPhone-15-PRO')).toMatchObject({
      name: 'iPhone 15 Pro',
      category: 'phone',
      viewport_width: 393,
      viewport_height: 659,
      device_scale_factor: 3,
      mobile: true,
      touch: true,
      landscape: false,
    });
    expect(findDevice('ipad-pro-11')?.category).toBe('tablet');
    expect(findDevice('galaxy-s9-plus')?.name).toBe('Galaxy S9+');
    expect(findDevice('desktop-1920x1080')).toMatchObject({ category: 'desktop', user_agent: null });
    expect(findDevice('constructor')).toBeUndefined();
  });

  it('are found in the other orientation', () => {
    const upright = findDevice('pixel-5');
    const turned = upright && turnedDevice(upright);
    expect(turned?.id).toBe('pixel-5-landscape');
    expect(turned && turnedDevice(turned)).toBe(upright);
  });

  it.each([
    ['iphone 15 pro', 'iphone-15-pro'],
    ['iPhone15Pro', 'iphone-15-pro'],
    ['pixel5', 'pixel-5'],
    ['toaster of doom', undefined],
  ])('suggest for %s %s', (id, nearest) => {
    expect(nearestDeviceId(id)).toBe(nearest);
  });

  it('have a row each in the docs', () => {
    expect(renderDevicePresets().match(/^\| `/gm)).toHaveLength(presets.length);
  });
});
