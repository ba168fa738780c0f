/** The way out of one context: a proxy of its own, through which all that its pages ask for goes. */
export interface Egress {
  /** `http://127.0.0.1:<port>`. */
  readonly proxyUrl: string;
  /** What the context has to show to the proxy; absent where the proxy asks for nothing. */
  readonly credential?: EgressCredential;
  usage(): EgressUsage;
  /**
   * Why this address was not reached, in Chromium's words, such as `ERR_NAME_NOT_RESOLVED`. By itself Chromium only
   * knows that its proxy refused.
   */
  netErrorOf(url: URL): string | undefined;
  /** Never rejects; may be called again. */
  close(): Promise<void>;
}

/** What proves to a proxy that a request comes from the context it was opened for, and not from another local process. */
export interface EgressCredential {
  readonly username: string;
  readonly password: string;
  /** The proxy answers a request for this address itself, by 204. */
  readonly url: string;
}

/** What went through an exit so far. */
export interface EgressUsage {
  readonly requests: number;
  /** Requests that were refused. */
  readonly blocked: number;
  /** On the wire, in both directions. */
  readonly bytes: number;
  /** The limit that was passed first, if any. */
  readonly exceeded: 'requests' | 'connections' | 'bytes' | null;
  /** The worker ran out of file descriptors meanwhile: the page may lack anything. */
  readonly starved: boolean;
}

/** Opens an exit for each page that is prepared: the browser has no other way to the network. */
export abstract class EgressProxyFactory {
  abstract open(): Promise<Egress>;
}
