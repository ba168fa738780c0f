// `npm run soak [-- --captures 500 --wave 50]`: bench/soak/run.ts with all it needs.
import { measure } from './launcher/measure.mjs';

await measure('soak/run.js');
