import leven from 'leven';
import type { DevicePreset } from './device-preset.js';
import { KNOWN_DEVICES } from './known-devices.js';

const BY_ID = new Map(KNOWN_DEVICES.map((device) => [device.id, device]));
const LANDSCAPE = '-landscape';

/** All devices, in the order of `GET /v1/devices`. */
export function devicePresets(): readonly DevicePreset[] {
  return KNOWN_DEVICES;
}

/** The device with this id, in any letter case. */
export function findDevice(id: string): DevicePreset | undefined {
  return BY_ID.get(id.toLowerCase());
}

/** The preset of the device in the other orientation, undefined when there is none. */
export function turnedDevice(device: DevicePreset): DevicePreset | undefined {
  return BY_ID.get(
    device.id.endsWith(LANDSCAPE) ? device.id.slice(0, -LANDSCAPE.length) : `${device.id}${LANDSCAPE}`,
  );
}

/** The most likely id for an unknown one: the model with the nearest number, the nearest name, or one that starts with it. */
export function nearestDeviceId(id: string): string | undefined {
  const wanted = id.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const model = nearestModel(wanted);
  if (model !== undefined) return model;
  const [best] = [...BY_ID.keys()]
    .map((known) => ({ known, distance: distanceOf(wanted, known) }))
    .sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.max(2, wanted.length / 3) ? best.known : undefined;
}

/** `iphone-99-pro` means the newest known one. */
function nearestModel(wanted: string): string | undefined {
  const { series, number, variant } = partsOf(wanted);
  const [best] = [...BY_ID.keys()]
    .map((id) => ({ id, parts: partsOf(id) }))
    .filter(({ parts }) => parts.series === series && parts.variant === variant)
    .map(({ id, parts }) => ({ id, distance: Math.abs(parts.number - number) }))
    .filter(({ distance }) => Number.isFinite(distance))
    .sort((a, b) => a.distance - b.distance);
  return best?.id;
}

function partsOf(id: string) {
  const [, series, number, variant] = /^(\D+)(\d+)(.*)$/.exec(id) ?? [];
  return { series, number: Number(number), variant };
}

function distanceOf(wanted: string, known: string): number {
  const distance = leven(wanted, known);
  return distance > 1 && known.startsWith(wanted) ? 1 : distance;
}

/** The section of docs/options.md on `device`. */
export function renderDevicePresets(): string {
  const rows = KNOWN_DEVICES.map(
    ({ id, name, category, viewport_width, viewport_height, device_scale_factor }) =>
      `| \`${id}\` | ${name} | ${category} | ${viewport_width} × ${viewport_height} | ${device_scale_factor} |`,
  );
  return `## Devices

The values of \`device\`. \`GET /v1/devices\` returns them with their user agents.

| id | name | category | window in CSS px | scale |
|---|---|---|---|---|
${rows.join('\n')}
`;
}
