/** Where the service runs. */
export interface ServiceAddress {
  readonly url: string;
  readonly key: string;
}

/** A page with the options of its capture. */
export interface SoakPage {
  readonly url: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Captures the pages by several clients at once; counts the results by code. */
export async function captureWave(
  address: ServiceAddress,
  pages: readonly SoakPage[],
  concurrency: number,
): Promise<Map<string, number>> {
  const ends = new Map<string, number>();
  const remaining = [...pages];
  const client = async (): Promise<void> => {
    for (let page = remaining.shift(); page !== undefined; page = remaining.shift()) {
      const end = await capture(address, page);
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return ends;
}

/** Resolves to `file`, or to the code of the problem. */
async function capture({ url, key }: ServiceAddress, { url: target, options }: SoakPage): Promise<string> {
  const response = await fetch(`${url}/v1/capture`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: target, ...options }),
  });
  const body = Buffer.from(await response.arrayBuffer());
  if (response.status === 200) return 'file';
  return (JSON.parse(body.toString()) as { code?: string }).code ?? String(response.status);
}
