import { VERSION } from '@capture-service/client';

process.stdout.write(`${VERSION}\n`);
