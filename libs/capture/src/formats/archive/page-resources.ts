import type { CDPSession, Protocol } from 'puppeteer';
import { inWorld } from '../../pipeline/in-page.js';
import { withDeadline } from '../../pipeline/wait.js';
import type { PageFrame } from './page-frames.js';

export interface PageResource {
  readonly type: string;
  readonly body: Buffer;
  readonly isText: boolean;
  /** The encoding of a text that is not in UTF-8. */
  readonly charset?: string;
}

interface Loaded {
  readonly cdp: CDPSession;
  readonly frameId: string;
  readonly url: string;
  /** Undefined when the browser has used it and dropped it. */
  readonly resource: Protocol.Page.FrameResource | undefined;
}

const READ_BYTES = 1024 * 1024;
/** A media type without parameters. */
const MEDIA_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/;

/** What the page has loaded, as the browser still has it. */
export class PageResources {
  private constructor(private readonly loaded: ReadonlyMap<string, Loaded>) {}

  static async collect(frames: readonly PageFrame[], until: number): Promise<PageResources> {
    const loaded = new Map<string, Loaded>();
    for (const cdp of new Set(frames.map(({ world }) => world.cdp))) {
      const asking = cdp.send('Page.enable').then(() => cdp.send('Page.getResourceTree'));
      const tree = await withDeadline({ until, message: 'the resources' }, asking).catch(() => undefined);
      if (tree) addTree(tree.frameTree, cdp, loaded);
    }
    for (const { id: frameId, world } of frames) {
      const asking = inWorld(world, listTimings, TIMINGS);
      const urls: unknown = await withDeadline({ until, message: 'the resources' }, asking).catch(() => []);
      for (const url of Array.isArray(urls) ? urls.map(String) : [])
        if (!loaded.has(url)) loaded.set(url, { cdp: world.cdp, frameId, url, resource: undefined });
    }
    return new PageResources(loaded);
  }

  /** Bytes of a resource as far as the browser knows before it is read. */
  sizeOf(url: string): number {
    return this.loaded.get(url)?.resource?.contentSize ?? 0;
  }

  /** The resource with a URL; undefined when it has not been loaded, cannot be read in time, or is longer than `maxBytes`. */
  async read(
    url: string,
    { until, maxBytes }: { until: number; maxBytes: number },
  ): Promise<PageResource | undefined> {
    const found = this.loaded.get(url);
    if (!found) return undefined;
    const reading = hasContent(found.resource)
      ? readContent(found, found.resource)
      : loadAgain(found, maxBytes);
    const resource = await withDeadline({ until, message: url }, reading).catch(() => undefined);
    return resource && MEDIA_TYPE.test(resource.type) ? resource : undefined;
  }
}

/** Fonts that are in use have no content any more. */
function hasContent(
  resource: Protocol.Page.FrameResource | undefined,
): resource is Protocol.Page.FrameResource {
  return resource !== undefined && resource.type !== 'Font';
}

function addTree(
  { frame, resources, childFrames = [] }: Protocol.Page.FrameResourceTree,
  cdp: CDPSession,
  loaded: Map<string, Loaded>,
): void {
  for (const resource of resources) {
    const isShown = ['Image', 'Stylesheet', 'Font', 'Other'].includes(resource.type);
    if (!isShown || resource.failed === true || resource.canceled === true || loaded.has(resource.url))
      continue;
    loaded.set(resource.url, { cdp, frameId: frame.id, url: resource.url, resource });
  }
  for (const child of childFrames) addTree(child, cdp, loaded);
}

/** The URLs of what a document has loaded; a page can make its own list shorter, and its URLs long. */
const TIMINGS = { count: 2_000, length: 8_192, chars: 1_000_000 } as const;

/** Runs in the page. */
function listTimings({ count, length, chars }: typeof TIMINGS): string[] {
  let left: number = chars;
  return performance
    .getEntriesByType('resource')
    .slice(0, count)
    .flatMap(({ name }) =>
      name.length <= length && (left -= name.length) > 0 ? (name.split('#', 1)[0] ?? '') : [],
    );
}

/** The browser loads style sheets again when it has dropped their text, from its cache where the server allowed that. */
async function readContent(
  { cdp, frameId, url }: Loaded,
  { mimeType }: Protocol.Page.FrameResource,
): Promise<PageResource> {
  const { content, base64Encoded } = await cdp.send('Page.getResourceContent', { frameId, url });
  const body = Buffer.from(content, base64Encoded ? 'base64' : 'utf8');
  return { type: mimeType, body, isText: !base64Encoded };
}

/** Loads what the page has loaded, from the browser's cache where the server allowed that. */
async function loadAgain({ cdp, frameId, url }: Loaded, maxBytes: number): Promise<PageResource | undefined> {
  const options = { disableCache: false, includeCredentials: true };
  const { resource } = await cdp.send('Network.loadNetworkResource', { frameId, url, options });
  const { success, httpStatusCode, headers = {}, stream: handle } = resource;
  if (handle === undefined) return undefined;
  const pieces: Buffer[] = [];
  try {
    if (!success || httpStatusCode !== 200) return undefined;
    for (let bytes = 0, eof = false; !eof;) {
      const piece = await cdp.send('IO.read', { handle, size: READ_BYTES });
      const read = Buffer.from(piece.data, piece.base64Encoded ? 'base64' : 'utf8');
      bytes += read.length;
      if (bytes > maxBytes) return undefined;
      pieces.push(read);
      ({ eof } = piece);
    }
  } finally {
    await cdp.send('IO.close', { handle });
  }
  return { ...typeOf(headers), body: Buffer.concat(pieces) };
}

function typeOf(headers: object): Pick<PageResource, 'type' | 'isText' | 'charset'> {
  const [, value = ''] =
    Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  const [type = '', ...parameters] = String(value).toLowerCase().split(';');
  const charset = /charset="?([\w-]{1,40})/.exec(parameters.join(';'))?.[1];
  return { type: type.trim(), isText: type.trim() === 'text/css', ...(charset !== undefined && { charset }) };
}
