/** How a picture is scaled: to the width of the view, into the whole view, or by a factor. */
export type Zoom = 'width' | 'whole' | number;

export interface Extent {
  readonly width: number;
  readonly height: number;
}

const STEPS = [0.05, 0.1, 0.25, 0.33, 0.5, 0.67, 0.75, 1, 1.5, 2, 3, 4, 6, 8];
const MIN = 0.05;
const MAX = 8;

/** The factor with which a picture is shown. Fitting never enlarges it. */
export function scaleOf(zoom: Zoom, picture: Extent, view: Extent): number {
  if (typeof zoom === 'number') return zoom;
  const byWidth = view.width / picture.width;
  const fitting = zoom === 'width' ? byWidth : Math.min(byWidth, view.height / picture.height);
  return Math.min(1, fitting);
}

/** The next larger or smaller step. */
export function stepFrom(scale: number, direction: 1 | -1): number {
  const next =
    direction > 0 ? STEPS.find((step) => step > scale * 1.01) : STEPS.findLast((step) => step < scale * 0.99);
  return next ?? (direction > 0 ? MAX : MIN);
}

/** The factor after the wheel has turned by `deltaY`. */
export function wheelScale(scale: number, deltaY: number): number {
  return Math.min(MAX, Math.max(MIN, scale * Math.exp(-deltaY / 300)));
}
