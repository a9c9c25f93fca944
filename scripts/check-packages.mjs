// `pnpm check:packages`: packs every package as it would be published and checks the tarballs. Each passes publint,
// are-the-types-wrong, and what `publishing/` asks of a release. Then the READMEs are checked (`check-readmes.mjs`).
// Both backends of the envelope start outside the workspace, and the size of its client is measured.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkReadmes, installedByPages } from './check-readmes.mjs';
import { checkTypes, typesInstalled } from './check-types.mjs';
import { checkClientSize } from './client-size.mjs';
import { pagesFollowedIn } from './guides/pages.mjs';
import { stockShelf, takeFromShelf } from './package-shelf.mjs';
import { packageNames, packPackages } from './package-tarballs.mjs';
import { checkPublishing } from './publishing/check-publishing.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => join(root, 'node_modules/.bin', name);
const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
const say = (text) => process.stdout.write(`${text}\n`);

const work = mkdtempSync(join(tmpdir(), 'sallyport-packages-'));

function checkTarball(name, tarball) {
  run(bin('publint'), ['run', '--strict', tarball], root);
  run(bin('attw'), ['--profile', 'esm-only', tarball], root);
  say(`${name}: packed, publint and types right`);
}

/** ENV-8: the tarball must hold the kernel and the worker file of the portable backend, where each is looked for. */
function tryBackend(backend, application) {
  const file = join(application, `backend-${backend}.mjs`);
  writeFileSync(
    file,
    `import { randomBytes } from 'node:crypto';
    import envelopeCrypto from '@sallyport/envelope-crypto';
    import Fastify from 'fastify';
    const app = Fastify();
    const privateKey = randomBytes(32).toString('hex');
    await app.register(envelopeCrypto, { mode: 'REQUIRED', keyId: 'k', privateKey, backend: '${backend}' });
    if (app.envelopeCrypto.backend.name !== '${backend}') throw new Error('another backend serves');
    await app.close();`,
  );
  run(process.execPath, [file], application);
  say(`envelope-crypto: the backend ${backend} starts outside the workspace, and gives every known answer`);
}

try {
  const tarballs = packPackages(work);
  for (const [name, tarball] of tarballs) checkTarball(name, tarball);
  const unpublishable = await checkPublishing(tarballs, work, say);
  say('installing the tarballs into an empty application …');
  const shelf = join(work, 'shelf');
  stockShelf(shelf, tarballs, ['fastify@5', ...installedByPages(), ...typesInstalled]);
  const { faults } = await checkReadmes([...packageNames, ...pagesFollowedIn('project')], shelf);
  const application = join(work, 'application');
  mkdirSync(application);
  writeFileSync(join(application, 'package.json'), '{ "private": true, "type": "module" }\n');
  takeFromShelf(shelf, application, ['fastify', ...packageNames.map((name) => `@sallyport/${name}`)]);
  for (const backend of ['kernel', 'portable']) tryBackend(backend, application);
  checkTypes(application, shelf);
  say('types: what must compile outside the workspace does, and what must not does not');
  await checkClientSize(join(application, 'node_modules/@sallyport/envelope-crypto'));
  if (faults.length > 0) say(`\n${faults.join('\n\n')}\n\n${faults.length} faults of the READMEs`);
  if (unpublishable.length > 0) say(`\n${unpublishable.join('\n')}\n\n${unpublishable.length} faults of publishing`);
  process.exitCode = faults.length + unpublishable.length === 0 ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
