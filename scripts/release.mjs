// `pnpm run release [--dry-run | --list | --stage] [--registry URL]`: builds from nothing, packs, checks the tarballs,
// publishes those whose version the registry does not have, and tags the versions. It publishes the very files that it
// has checked. Run again after a failure, it goes on where it stopped.
//
// `--dry-run` asks no registry and publishes nothing. `--list` prints the versions that the registry does not have, in
// one line, and does no more. `--stage` submits the tarballs to npm, where a maintainer approves or rejects each
// (`npm stage`). It tags nothing: a run without it, once all are approved, does. `--registry` rehearses with another
// registry, without tags, and without provenance, which is signed only where GitHub or GitLab runs the release.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packageNames, packPackages } from './package-tarballs.mjs';
import { checkPublishing } from './publishing/check-publishing.mjs';
import { readManifest } from './publishing/manifests.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    stage: { type: 'boolean', default: false },
    registry: { type: 'string' },
  },
});
const registry = options.registry === undefined ? [] : ['--registry', options.registry];
const say = (text) => process.stdout.write(`${text}\n`);
const run = (command, args) => execFileSync(command, args, { cwd: root, stdio: 'inherit' });

/** Whether the registry has this version. Any answer but 404 to the question stops the release. */
function isPublished(name, version) {
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['view', `${name}@${version}`, 'version', '--json', ...registry],
    {
      encoding: 'utf8',
    },
  );
  if (status === 0) return stdout.trim() !== '';
  if (/\bE404\b/.test(stdout + stderr)) return false;
  throw new Error(`npm view ${name}@${version}: ${stderr || stdout}`);
}

/** The folders of the packages whose version the registry does not have. */
const unpublished = () =>
  packageNames.filter((folder) => {
    const { name, version } = readManifest(`packages/${folder}/package.json`);
    return !isPublished(name, version);
  });

function list() {
  const manifests = unpublished().map((folder) => readManifest(`packages/${folder}/package.json`));
  say(manifests.map(({ name, version }) => `${name}@${version}`).join(' '));
}

/** What pages say while npm does not have the packages. The first release has to remove it. */
const NOT_PUBLISHED = 'ot on npm yet';

function checkPages() {
  const pages = ['README*.md', 'docs', 'packages/*/README.md'];
  const { stdout } = spawnSync('git', ['grep', '-l', NOT_PUBLISHED, '--', ...pages], { cwd: root, encoding: 'utf8' });
  if (stdout !== '') throw new Error(`not published: pages say that the packages are not on npm:\n${stdout}`);
}

/** @param {Map<string, string>} tarballs */
function publish(tarballs) {
  // What is staged by hand is to make a name known, and not to be approved.
  const isSigned = options.registry === undefined && !(options.stage && process.env.CI === undefined);
  const command = options.stage ? ['stage', 'publish'] : ['publish'];
  const flags = [...registry, ...(isSigned ? [] : ['--no-provenance'])];
  for (const folder of unpublished()) run('npm', [...command, tarballs.get(folder), ...flags]);
  // The workflow makes a release on GitHub of each tag that this prints.
  if (options.registry === undefined && !options.stage) run(join(root, 'node_modules/.bin/changeset'), ['tag']);
}

async function release() {
  const work = mkdtempSync(join(tmpdir(), 'sallyport-release-'));
  try {
    for (const name of packageNames) rmSync(join(root, 'packages', name, 'dist'), { recursive: true, force: true });
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b']);
    const tarballs = packPackages(work);
    const faults = await checkPublishing(tarballs, work, say);
    if (faults.length > 0) throw new Error(`not published:\n${faults.join('\n')}`);
    if (options['dry-run']) return;
    if (options.registry === undefined) checkPages();
    publish(tarballs);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (options.list) list();
else await release();
