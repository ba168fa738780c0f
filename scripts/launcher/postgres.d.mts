/** A server that was started here; `stop` ends it in order. */
interface StartedServer {
  readonly pid: number;
  stop(): Promise<void>;
}

export function startPostgres(options: {
  readonly dir: string;
  readonly port: number;
  readonly durable?: boolean;
  readonly onSpawn?: (server: StartedServer) => void;
}): Promise<{ readonly url: string }>;
