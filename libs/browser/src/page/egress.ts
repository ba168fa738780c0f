/** The network access of one context: a proxy of its own, through which all requests of its pages go. */
export interface Egress {
  /** `http://127.0.0.1:<port>`. */
  readonly proxyUrl: string;
  /** What the proxy requires of the context; absent where it requires nothing. */
  readonly credential?: EgressCredential;
  usage(): EgressUsage;
  /** Refuses the hosts for which `isScreened` returns true; it is called once for each request that reaches the proxy. */
  screen(isScreened: (host: string) => boolean): void;
  /**
   * Why this address was not reached, by Chromium's name, such as `ERR_NAME_NOT_RESOLVED`. Chromium itself only knows that its
   * proxy refused the request.
   */
  netErrorOf(url: URL): string | undefined;
  /** Begins another capture of the same context, with counts, limits and screened hosts of its own. */
  restart(): void;
  /** Never rejects; may be called again. */
  close(): Promise<void>;
}

/** Proves to a proxy that a request comes from its own context, and not from another local process. */
export interface EgressCredential {
  readonly username: string;
  readonly password: string;
  /** The proxy itself responds to this address, with 204. */
  readonly url: string;
}

/** The traffic of an egress proxy so far. */
export interface EgressUsage {
  readonly requests: number;
  /** Requests that were refused. */
  readonly blocked: number;
  /** On the wire, in both directions. */
  readonly bytes: number;
  /** The limit that was exceeded first, if any. */
  readonly exceeded: 'requests' | 'connections' | 'bytes' | null;
  /** The worker ran out of file descriptors during the capture: the page may be incomplete. */
  readonly starved: boolean;
  /** No name server answered during the capture: the page may be incomplete. */
  readonly unresolved: boolean;
}

/** Opens an egress proxy for each prepared page: the browser has no other access to the network. */
export abstract class EgressProxyFactory {
  abstract open(): Promise<Egress>;
}
