import { emulateMedia, type EmulationOptions } from '../options/emulation.js';
import type { Visit } from '../pipeline/family.js';
import { settleLayout } from '../readiness/settle-layout.js';
import { settlePage } from '../pipeline/settle-page.js';

/** Maximum wait for scripts that draw again in the width of the paper. */
const QUIET_MS = 2_000;
/** CSS px per inch. */
const DENSITY = 96;

export type Medium = Pick<EmulationOptions, 'dark_mode' | 'reduced_motion' | 'media_type'>;

interface Paper {
  readonly paperWidth: number;
  readonly paperHeight: number;
  readonly marginLeft: number;
  readonly marginRight: number;
  readonly landscape: boolean;
  readonly scale: number;
}

/**
 * Prints a page whose scripts draw (charts, maps) in a window as wide as the paper: they draw for the width of the window and do not learn
 * of the printed layout, so that what they have drawn would overlap the text.
 */
export async function inPaperWindow<T>(
  visit: Visit,
  { paper, medium }: { readonly paper: Paper; readonly medium: Medium },
  print: () => Promise<T>,
): Promise<T> {
  const { cdp, metrics } = visit;
  const setWindow = async (width: number, media: Medium): Promise<void> => {
    await Promise.all([
      emulateMedia({ cdp }, media, true),
      cdp.send('Emulation.setDeviceMetricsOverride', { ...metrics, width }),
    ]);
  };
  const printed: Medium = { ...medium, media_type: medium.media_type ?? 'print' };
  await settleLayout(visit, () => setWindow(widthOf(paper), printed), QUIET_MS);
  await settlePage(visit, false);
  try {
    return await print();
  } finally {
    await setWindow(metrics.width, medium);
  }
}

/** Width of the printed area in CSS px of the document. */
function widthOf({ paperWidth, paperHeight, marginLeft, marginRight, landscape, scale }: Paper): number {
  const inches = (landscape ? paperHeight : paperWidth) - marginLeft - marginRight;
  return Math.max(100, Math.floor((inches * DENSITY) / scale));
}
