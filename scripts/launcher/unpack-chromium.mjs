// Run by carried-chromium.mjs in a process of its own, because the target folder is that process's TMPDIR.
import chromium, { inflate } from '@sparticuz/chromium';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const archives = path.resolve(fileURLToPath(import.meta.resolve('@sparticuz/chromium')), '../../bin');
// The libraries (NSS and such) belong to what it unpacks by itself only on Amazon's machines.
await Promise.all([chromium.executablePath(), inflate(path.join(archives, 'al2023.tar.br'))]);
