import { Anchor } from '@mantine/core';
import { isWebAddress } from '../ui/web-address.js';

/** The address of a captured page, isolated from the direction of the text around it; a link only for http and https. */
export function PageLink({ url }: { readonly url: string }) {
  const text = <bdi className="breaks">{url}</bdi>;
  if (!isWebAddress(url)) return text;
  return (
    <Anchor href={url} target="_blank" rel="noreferrer noopener" size="sm">
      {text}
    </Anchor>
  );
}
