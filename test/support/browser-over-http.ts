/** Follows redirects and keeps cookies by origin, as a browser does, one request at a time. */
export class BrowserOverHttp {
  private readonly jars = new Map<string, Map<string, string>>();

  /** Does not follow redirects. */
  async get(address: URL | string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(address);
    const jar = this.jars.get(origin) ?? new Map<string, string>();
    this.jars.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string> | undefined), ...(cookie && { cookie }) };
    const response = await fetch(address, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) keep(jar, line);
    return response;
  }

  /** Follows redirects up to an address, which it does not open. */
  async followUntil(address: URL, isEnd: (url: URL) => boolean): Promise<URL> {
    let url = address;
    for (let steps = 0; !isEnd(url); steps++) {
      const response = await this.get(url);
      const location = response.headers.get('location');
      if (location === null || steps > 20) {
        throw new Error(`${url.href} answers ${response.status} and leads nowhere: ${await response.text()}`);
      }
      url = new URL(location, url);
    }
    return url;
  }

  cookiesOf(origin: string): Map<string, string> {
    return this.jars.get(origin) ?? new Map<string, string>();
  }
}

function keep(jar: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  const isGone = value === '' || /expires=Thu, 01 Jan 1970/i.test(line);
  if (isGone) jar.delete(name);
  else jar.set(name, value);
}
