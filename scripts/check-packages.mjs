// `pnpm check:packages`: packs every package as it would be published and checks the tarballs. Each passes publint and
// are-the-types-wrong. Then each README's server runs in an empty application outside the workspace and must answer as
// the README says. Both backends of the envelope start there, and the size of its client is measured.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checkTypes } from './check-types.mjs';
import { checkClientSize } from './client-size.mjs';
import { freePort } from './free-port.mjs';
import { readmeRequests } from './readme-requests.mjs';

const START_LIMIT_MILLIS = 20_000;

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name) => join(root, 'node_modules/.bin', name);
const run = (command, args, cwd) =>
  execFileSync(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
const say = (text) => process.stdout.write(`${text}\n`);

const work = mkdtempSync(join(tmpdir(), 'sallyport-packages-'));
const names = readdirSync(join(root, 'packages'));

function pack(name) {
  const folder = join(root, 'packages', name);
  // npm's client packs nothing of `catalog:` and `workspace:`; pnpm replaces both, as it does on publishing.
  const packed = JSON.parse(
    run('npx', ['--yes', pnpmOfRepository(), 'pack', '--json', '--pack-destination', work], folder),
  );
  const tarball = Array.isArray(packed) ? packed[0].filename : packed.filename;
  run(bin('publint'), ['run', '--strict', tarball], root);
  run(bin('attw'), ['--profile', 'esm-only', tarball], root);
  say(`${name}: packed, publint and types right`);
  return tarball;
}

function pnpmOfRepository() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager;
}

/** The first JavaScript block of a README: a whole server or program. */
function programOfReadme(name) {
  const readme = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8');
  const block = /```js\n([\s\S]*?)```/.exec(readme);
  if (!block) throw new Error(`packages/${name}/README.md has no \`\`\`js block`);
  return block[1];
}

async function listening(url, child) {
  const deadline = Date.now() + START_LIMIT_MILLIS;
  while (Date.now() < deadline && child.exitCode === null) {
    try {
      await fetch(url, { method: 'HEAD' });
      return;
    } catch {
      await sleep(50);
    }
  }
  throw new Error('the README server did not start');
}

/** The envelope client from the installed tarball. */
async function sealingClient(application, baseUrl) {
  const manifest = createRequire(join(application, 'package.json')).resolve('@sallyport/envelope-crypto/package.json');
  const { createEnvelopeClient } = await import(pathToFileURL(join(dirname(manifest), 'dist/client/index.js')).href);
  return createEnvelopeClient({ baseUrl });
}

async function tryReadme(name, application) {
  const file = join(application, `${name}.mjs`);
  const program = programOfReadme(name);
  writeFileSync(file, program);
  if (readmeRequests[name] === undefined) {
    if (program.includes('.listen(')) throw new Error(`scripts/readme-requests.mjs asks nothing of ${name}`);
    run(process.execPath, [file], application);
    say(`${name}: its README's program runs outside the workspace`);
    return;
  }
  const port = await freePort();
  const child = spawn(process.execPath, [file], {
    cwd: application,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    const base = `http://127.0.0.1:${port}`;
    await listening(base, child);
    const client = await sealingClient(application, base);
    let token = null;
    for (const { path, expected, contains, sealed, signIn, ...given } of readmeRequests[name]) {
      const init =
        token === null ? given : { ...given, headers: { ...given.headers, authorization: `Bearer ${token}` } };
      const response = await (sealed ? client.fetch(path, init) : fetch(base + path, init));
      const text = await response.text();
      if (response.status !== expected || (contains && !text.includes(contains))) {
        throw new Error(`${name}: ${init.method ?? 'GET'} ${path} answered ${response.status} ${text}`);
      }
      if (signIn) token = JSON.parse(text).token;
    }
    say(
      `${name}: its README's server runs outside the workspace and answers ${readmeRequests[name].length} requests as written`,
    );
  } finally {
    child.kill('SIGKILL');
  }
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
  const tarballs = names.map(pack);
  const application = join(work, 'application');
  mkdirSync(application);
  writeFileSync(join(application, 'package.json'), '{ "private": true, "type": "module" }\n');
  say('installing the tarballs into an empty application …');
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', 'fastify@5', ...tarballs], application);
  for (const name of names) await tryReadme(name, application);
  for (const backend of ['kernel', 'portable']) tryBackend(backend, application);
  checkTypes(application);
  say('types: what must compile outside the workspace does, and what must not does not');
  await checkClientSize(join(application, 'node_modules/@sallyport/envelope-crypto'));
} finally {
  rmSync(work, { recursive: true, force: true });
}
