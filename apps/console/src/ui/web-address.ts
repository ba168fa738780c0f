/** A name with a dot whose end is letters, with a port, a path or nothing after it: `example.com/about`. */
const NAME = /^(?:[\p{L}\p{N}-]+\.)+(?:\p{L}{2,}|xn--[a-z\d-]+)\.?(?::\d+)?(?:[/?#]\S*)?$/iu;
/** This machine, or an IPv4 address. Servers there rarely have a certificate. */
const LOCAL = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::\d+)?(?:[/?#]\S*)?$/i;

/** An address as people write it, such as `example.com/about`, with the scheme that it lacks. Every other text stays as it is. */
export function withScheme(text: string): string {
  const address = text.trim();
  if (LOCAL.test(address)) return `http://${address}`;
  return NAME.test(address) ? `https://${address}` : text;
}

const WEB = /^https?:\/\//i;

/** Whether a text of a captured page may become a link: any other scheme could run code of the page in the console. */
export function isWebAddress(text: string): boolean {
  return WEB.test(text);
}
