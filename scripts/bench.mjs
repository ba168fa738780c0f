// `npm run bench [-- --captures 24 --rounds 4 --concurrency 1,2,4 --against <built checkout>]`: bench/run.ts with all it needs.
// `npm run bench -- accounting`, `bulk`, `history`, `egress`, `enqueue`, `isolation` or `scale` runs that file of bench/ instead.
import { measure } from './launcher/measure.mjs';

const OTHERS = ['accounting', 'bulk', 'history', 'egress', 'enqueue', 'isolation', 'scale'];

const [, , word] = process.argv;
await measure(OTHERS.includes(word) ? `${word}.js` : 'run.js');
