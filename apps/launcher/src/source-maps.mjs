// For `node --import`: the traces of errors name lines of our TypeScript. `--enable-source-maps` would also read the maps of
// all packages, which takes a fifteenth of a start.
import { setSourceMapsSupport } from 'node:module';

setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
