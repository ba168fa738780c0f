import { Whole } from '@app/kernel';
import { MAX_LIFE_S } from './link-options.js';

/** What `POST /v1/links` takes besides the options of the capture and `on_error`. */
export class LinkRequest {
  @Whole(
    'Seconds until the link expires, at most ten years. Required unless the links of the key need not expire (`npm run keys -- signing`).',
    { min: 1, max: MAX_LIFE_S },
  )
  expires_in_s?: number;
}
