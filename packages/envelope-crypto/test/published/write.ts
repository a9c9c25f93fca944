import { mkdirSync, writeFileSync } from 'node:fs';
import { makeVectorFiles, textOf } from './vector-files.js';

// `pnpm --filter @sallyport/envelope-crypto run build:vectors`
const folder = new URL('../../vectors/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, file] of Object.entries(makeVectorFiles())) writeFileSync(new URL(name, folder), textOf(file));
