/** The host of a URL in lower case; '' when it has none. */
export function hostOfUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
