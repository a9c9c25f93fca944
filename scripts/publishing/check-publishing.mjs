// PUB-1: what a release needs, of every published package.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkBills } from './bills-of-materials.mjs';
import {
  changelogFaults,
  localRepository,
  manifestFaults,
  publishedPackages,
  readManifest,
  repositoryFiles,
  ships,
} from './manifests.mjs';
import { linkFaults } from './markdown-links.mjs';
import { contentFaults, dryRun, readTarball } from './tarball-contents.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Manifests, changelogs, and the links of the pages that are published.
 * @returns {string[]} one line for each fault
 */
function sourceFaults() {
  const files = repositoryFiles();
  const repository = localRepository();
  const workspace = readManifest('package.json');
  return publishedPackages(files).flatMap(({ folder, manifest }) => {
    const changelog = join(root, folder, 'CHANGELOG.md');
    const pages = files.filter((path) => path.startsWith(`${folder}/`) && path.endsWith('.md'));
    const isShipped = (path) => ships(manifest, path);
    return [
      ...manifestFaults(folder, manifest, workspace),
      ...changelogFaults(folder, manifest, existsSync(changelog) ? readFileSync(changelog, 'utf8') : null),
      ...pages
        .filter((path) => isShipped(path.slice(folder.length + 1)))
        .flatMap((path) => linkFaults({ path, published: { folder, ships: isShipped } }, repository)),
    ];
  });
}

/**
 * @param {Map<string, string>} tarballs by the folder of `packages`
 * @param {string} work a folder for what is unpacked
 * @returns {Promise<string[]>} one line for each fault
 */
async function tarballFaults(tarballs, work) {
  const published = publishedPackages(repositoryFiles()).map(({ manifest }) => manifest);
  const missing = published.filter(({ name }) => !tarballs.has(name.replace('@sallyport/', '')));
  const checks = [...tarballs].map(async ([name, tarball]) => {
    const files = readTarball(tarball, join(work, name));
    const faults = contentFaults(`@sallyport/${name}`, files, { bytes: statSync(tarball).size, checkout: root });
    const dry = await dryRun(tarball);
    const expected = published.find((manifest) => manifest.name === dry.name)?.version;
    const isWhole = dry.version === expected && dry.files.length === files.size;
    return isWhole
      ? faults
      : [...faults, `${name}: npm would publish ${dry.name}@${dry.version}, ${dry.files.length} files`];
  });
  return [...missing.map(({ name }) => `${name}: was not packed`), ...(await Promise.all(checks)).flat()];
}

/**
 * @param {Map<string, string>} tarballs
 * @param {string} work
 * @param {(text: string) => void} say
 * @returns {Promise<string[]>} one line for each fault
 */
export async function checkPublishing(tarballs, work, say) {
  const source = sourceFaults();
  if (source.length === 0) say('publishing: manifests, changelogs and the links of READMEs are in order');
  const contents = await tarballFaults(tarballs, join(work, 'contents'));
  if (contents.length === 0)
    say(`publishing: npm publish --dry-run takes ${tarballs.size} tarballs with the expected contents`);
  const bills = await checkBills(join(work, 'sbom'));
  if (bills.faults.length === 0)
    say(`publishing: ${bills.count} bills of materials are valid, with licences of the list`);
  return [...source, ...contents, ...bills.faults];
}
