import { inWorld, type IsolatedWorld, type SafeAccess } from '../../pipeline/in-page.js';
import { endsInTime, withDeadline } from '../../pipeline/wait.js';

const BLOBS = { count: 50, bytes: 20_000_000 } as const;
const READ_MS = 2_000;

/** Makes the contents of the `blob:` URLs that a document shows known to its isolated world. The URLs end with the page. */
export async function readBlobs(world: IsolatedWorld): Promise<void> {
  if (!(await inWorld(world, hasBlobs, null))) return;
  const deadline = { until: performance.now() + READ_MS, message: 'the blobs' };
  await endsInTime(withDeadline(deadline, inWorld(world, keepBlobs, BLOBS)));
}

/** Runs in the page. */
function hasBlobs(_: null, safe: SafeAccess): boolean {
  return safe(document).querySelector('[src^="blob:"], [poster^="blob:"], [href^="blob:"]') !== null;
}

/** Runs in the page. */
async function keepBlobs(limits: typeof BLOBS, safe: SafeAccess): Promise<void> {
  const urls = new Set<string>();
  for (const name of ['src', 'poster', 'href'])
    for (const element of safe(document).querySelectorAll(`[${name}^="blob:"]`))
      urls.add(Element.prototype.getAttribute.call(element, name) ?? '');
  const kept = new Map<string, string>();
  (globalThis as unknown as Record<symbol, unknown>)[Symbol.for('blobs')] = kept;
  let left: number = limits.bytes;
  for (const url of [...urls].slice(0, limits.count)) {
    try {
      // oxlint-disable-next-line house/egress-in-one-place -- it runs in the page, and a blob is in its memory
      const blob = await (await fetch(url)).blob();
      left -= blob.size;
      if (left < 0) return;
      // TypeScript does not know the method yet.
      const bytes = new Uint8Array(await blob.arrayBuffer()) as Uint8Array & { toBase64(): string };
      kept.set(url, `data:${blob.type};base64,${bytes.toBase64()}`);
    } catch {
      // The page has revoked the URL.
    }
  }
}
