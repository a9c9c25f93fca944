// `pnpm run asvs`: writes docs/asvs.md from the claims of the acceptance command (DOC-4).
import { writeFile } from 'node:fs/promises';
import { asvsPage } from './asvs/asvs-page.ts';

await writeFile(new URL('../docs/asvs.md', import.meta.url), asvsPage());
