import { time } from '../../ui/format.js';
import { useAge } from '../../ui/use-now.js';

/** How long ago a capture was made. The list has many of them, and draws them faster than with a tooltip of the library. */
export function ListTime({ iso }: { readonly iso: string }) {
  return (
    <time dateTime={iso} title={time(iso)} className="numeric">
      {useAge(iso)}
    </time>
  );
}
