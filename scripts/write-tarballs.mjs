// `pnpm run tarballs FOLDER`: packs every package as it would be published, into the folder, and prints how to install
// them. Until the packages are on npm, an application takes them from there.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { packPackages } from './package-tarballs.mjs';

const [folder, ...more] = process.argv.slice(2);
if (folder === undefined || folder.startsWith('-') || more.length > 0) {
  const unknown = [folder, ...more].find((word) => word?.startsWith('-') && word !== '--help');
  process.stderr.write(
    `${unknown === undefined ? '' : `unknown option ${unknown}\n`}usage: pnpm run tarballs FOLDER\n`,
  );
  process.exit(2);
}

const target = resolve(folder);
mkdirSync(target, { recursive: true });
process.stdout.write('packing …\n');
const tarballs = packPackages(target);
process.stdout.write(`${tarballs.size} packages. In your application: npm install ${target}/*.tgz\n`);
