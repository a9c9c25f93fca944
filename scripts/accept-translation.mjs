// Accepts reviewed translations: node scripts/accept-translation.mjs FILE… writes the digest of the original as it is
// now into each. It refuses a translation whose headings, code, numbers or code words are not those of the original.
import { writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { localRepository } from './publishing/manifests.mjs';
import { examine, withDigest } from './translations/translations.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const repository = localRepository();
const paths = process.argv.slice(2).map((path) => relative(root, resolve(path)).split(sep).join('/'));

if (paths.length === 0) {
  console.error('usage: node scripts/accept-translation.mjs FILE…');
  process.exitCode = 2;
}

for (const path of paths) {
  const { faults, digest } = examine(path, repository);
  if (faults.length > 0) {
    console.error(faults.join('\n'));
    process.exitCode = 1;
    continue;
  }
  writeFileSync(join(root, path), withDigest(repository.read(path), digest));
  console.log(`${path}: accepted`);
}
