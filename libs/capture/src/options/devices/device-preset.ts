export const DEVICE_CATEGORIES = ['phone', 'tablet', 'desktop'] as const;

/** A device of `GET /v1/devices`, with the values that the option `device` sets. */
export interface DevicePreset {
  readonly id: string;
  readonly name: string;
  readonly category: (typeof DEVICE_CATEGORIES)[number];
  /** CSS px. */
  readonly viewport_width: number;
  readonly viewport_height: number;
  /** Device px per CSS px. */
  readonly device_scale_factor: number;
  readonly mobile: boolean;
  readonly touch: boolean;
  readonly landscape: boolean;
  /** Null: the browser's own user agent. */
  readonly user_agent: string | null;
}
