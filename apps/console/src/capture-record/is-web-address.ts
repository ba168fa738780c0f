const WEB = /^https?:\/\//i;

/** Whether a text of a captured page may become a link: any other scheme could run code of the page in the console. */
export function isWebAddress(text: string): boolean {
  return WEB.test(text);
}
