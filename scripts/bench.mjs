// `npm run bench [-- --captures 24 --rounds 4 --concurrency 1,2,4]`: bench/run.ts with all it needs.
// `npm run bench -- history` and `npm run bench -- egress` run bench/history.ts and bench/egress.ts instead.
import { measure } from './launcher/measure.mjs';

const OTHERS = ['history', 'egress'];

const [, , word] = process.argv;
await measure(OTHERS.includes(word) ? `${word}.js` : 'run.js');
