interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Runs in the page: the styles that draw backgrounds with their element that are fixed to the window (`background-attachment: fixed`):
 * as the window shows them when the element is in its middle. A background of something higher than the window is repeated.
 */
export async function backgroundOf(element: Element): Promise<Record<string, string>> {
  const style = getComputedStyle(element);
  const box = Element.prototype.getBoundingClientRect.call(element);
  const pageHeight = document.documentElement.scrollHeight;
  const isHigh = box.height > innerHeight;
  // Where the window is when the element is in its middle, relative to the element.
  const middle = box.top + scrollY + box.height / 2 - innerHeight / 2;
  const windowTop = Math.max(0, Math.min(middle, pageHeight - innerHeight)) - (box.top + scrollY);
  const [images, sizes, positions] = [
    style.backgroundImage,
    style.backgroundSize,
    style.backgroundPosition,
  ].map(layersOf) as [string[], string[], string[]];
  const attachments = layersOf(style.backgroundAttachment);
  const repeats = layersOf(style.backgroundRepeat);
  const origins = layersOf(style.backgroundOrigin);
  const layers = await Promise.all(
    images.map(async (image, i) => {
      const at = <T>(list: readonly T[]): T => list[i % list.length] as T;
      const [size, position, repeat] = [at(sizes), at(positions), at(repeats)];
      if (at(attachments) !== 'fixed') return { size, position, repeat, origin: at(origins) };
      const drawn = sizeOf(size, await naturalSize(image));
      const [x = '0px', y = '0px'] = position.split(' ');
      const left = offsetOf(x, innerWidth - drawn.width) - box.left;
      const top = offsetOf(y, innerHeight - drawn.height) + (isHigh ? -(box.top + scrollY) : windowTop);
      return {
        size: `${drawn.width}px ${drawn.height}px`,
        position: `${left}px ${top}px`,
        repeat: isHigh && repeat === 'no-repeat' ? 'repeat-y' : repeat,
        origin: 'border-box',
      };
    }),
  );
  return {
    'background-attachment': 'scroll',
    'background-size': layers.map(({ size }) => size).join(),
    'background-position': layers.map(({ position }) => position).join(),
    'background-repeat': layers.map(({ repeat }) => repeat).join(),
    'background-origin': layers.map(({ origin }) => origin).join(),
  };
}

/** Runs in the page: the values of a list, at the commas outside of parentheses and quotes. */
function layersOf(list: string): string[] {
  return list.match(/(?:[^,("']+|"[^"]*"|'[^']*'|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+/g) ?? [list];
}

/** Runs in the page: the own size of a picture; null for a gradient. */
async function naturalSize(image: string): Promise<Size | null> {
  const [, url] = /^url\("(.*)"\)$/s.exec(image.trim()) ?? [];
  if (url === undefined) return null;
  const picture = new Image();
  picture.src = url.replace(/\\(.)/g, '$1');
  await picture.decode().catch(() => undefined);
  const { naturalWidth: width, naturalHeight: height } = picture;
  return width > 0 && height > 0 ? { width, height } : null;
}

/** Runs in the page: the size in which the window shows a picture. What has no size of its own fills the window. */
function sizeOf(size: string, natural: Size | null): Size {
  const [across = 'auto', down = 'auto'] = size.trim().split(/\s+/);
  if (across === 'cover' || across === 'contain') {
    if (!natural) return { width: innerWidth, height: innerHeight };
    const factors = [innerWidth / natural.width, innerHeight / natural.height] as const;
    const factor = across === 'cover' ? Math.max(...factors) : Math.min(...factors);
    return { width: natural.width * factor, height: natural.height * factor };
  }
  const lengthOf = (value: string, whole: number): number | null =>
    value === 'auto' ? null : value.endsWith('%') ? (parseFloat(value) / 100) * whole : parseFloat(value);
  const [width, height] = [lengthOf(across, innerWidth), lengthOf(down, innerHeight)];
  if (!natural) return { width: width ?? innerWidth, height: height ?? innerHeight };
  const shape = natural.width / natural.height;
  return {
    width: width ?? (height === null ? natural.width : height * shape),
    height: height ?? (width === null ? natural.height : width / shape),
  };
}

/** Runs in the page: `left` is what the window has beside the picture, which a position in percent shares out. */
function offsetOf(position: string, left: number): number {
  return position.endsWith('%') ? (parseFloat(position) / 100) * left : parseFloat(position) || 0;
}

/** What `backgroundOf` uses, for `inPage`. */
export const BACKGROUND_PARTS = [backgroundOf, layersOf, naturalSize, sizeOf, offsetOf];
