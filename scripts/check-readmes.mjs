// `pnpm check:readmes [--table] [packages and pages…]`, for ADP-8: every ts, js and sh block of every package README,
// and of the pages of its reference, runs as a reader runs it, in an empty npm project that has only what install lines
// name, with its dependencies and peers (`package-shelf.mjs`). Packages of this repository come from tarballs, all
// others from the registry. The build must be up to date.
//
// - A page of the reference is read after the README, and after the pages that the README names before it: it finds
//   their files and the database. It installs itself what the README has not installed, and has a shell of its own. A
//   program of it that calls a server before the page has started one finds that of the quick start.
// - A ts or js block is written to the file that its info string names (```ts plugins/auth.ts), else to app.mts or
//   app.mjs, and runs. It ends by itself with code 0, or it listens on PORT. A ts block is type-checked first.
// - A server goes on until the next program, unless that program calls http://127.0.0.1:3000.
// - The commands of sh blocks run in one shell and must succeed. Comment lines right after a command are its expected
//   output; `…` matches anything.
// - Programs get DATABASE_URL (PostgreSQL, an empty database for each README) and REDIS_URL. Without redis-server on
//   the PATH, blocks that name REDIS_URL are skipped with a message; with CI=true that is a fault.
// - tsx, typescript and @types/node are those of the repository.
//
// Guides that say `follow: project` are checked in the same way.
//
// `--table` prints the lines of each quick start and the install weight of each package, as Markdown. The READMEs of
// the repository and of the examples are not checked here.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort } from './free-port.mjs';
import { followPage } from './guides/follow.mjs';
import { pagesFollowedIn, readPage } from './guides/pages.mjs';
import { weightOfPackage, weightOfProject } from './install-weight.mjs';
import { pagesOf, readmeOf } from './package-pages.mjs';
import { stockShelf } from './package-shelf.mjs';
import { packageNames, packPackages } from './package-tarballs.mjs';
import {
  callsServer,
  importedPackages,
  installedBy,
  isRunnable,
  keptFaults,
  matchesExpected,
  parseReadme,
  pathOf,
  shellSteps,
  startsFile,
  withPort,
} from './readme-blocks.mjs';
import { exemptSections } from './readme-exemptions.mjs';
import { createProject, isCompleteCommand, lastLines } from './readme-project.mjs';
import { readmeRequests } from './readme-requests.mjs';
import { requestFaults } from './readme-server.mjs';
import { createServices } from './readme-services.mjs';
import { countLines, languageFaults, quickStartOf, structureFaults } from './readme-structure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const say = (text) => process.stdout.write(`${text}\n`);

/** What a shelf must have: all READMEs, with the pages of the reference, and the guides can be checked from it. */
export function installedByPages() {
  const paths = [...packageNames.flatMap(pagesOf), ...pagesFollowedIn('project')];
  return paths.flatMap((path) => installedBy(parseReadme(readFileSync(join(root, path), 'utf8')).blocks));
}

/**
 * Checks READMEs and pages, and says how each went.
 * @param {readonly string[]} names folders of `packages`, and paths of pages
 * @param {string} shelf
 * @returns {Promise<{ faults: string[], table: string }>}
 */
export async function checkReadmes(names, shelf) {
  const work = mkdtempSync(join(tmpdir(), 'sallyport-readmes-'));
  const services = createServices();
  const faults = [];
  const rows = [];
  try {
    for (const name of names) {
      const isPage = !packageNames.includes(name);
      const path = isPage ? name : readmeOf(name);
      const place = { path, folder: join(work, path.replaceAll('/', '-'), 'project'), shelf, services };
      const check = isPage ? await checkPage(place) : await checkReadme(name, place);
      faults.push(...check.faults.map((fault) => `${fault.path ?? path}:${fault.line}: ${fault.message}`));
      if (check.row !== null) rows.push(check.row);
      say(
        `${name}: ${check.faults.length === 0 ? `${check.ran} blocks run as written` : `${check.faults.length} FAULTS`}`,
      );
    }
  } finally {
    await services.stop();
    rmSync(work, { recursive: true, force: true });
  }
  return { faults, table: tableOf(rows) };
}

async function checkPage({ path, folder, shelf, services }) {
  const { env, compile } = createProject(folder, { shelf, environment: {} });
  rmSync(join(folder, 'package.json')); // the page begins in an empty folder
  return { row: null, ...(await followPage(readPage(path), { folder, services, env, compile })) };
}

/** Checks a README, and then each page of the reference. */
async function checkReadme(name, { folder, shelf, services }) {
  const pages = pagesOf(name).map((path) => ({ path, ...parseReadme(readFileSync(join(root, path), 'utf8')) }));
  const [readme, ...reference] = pages;
  const names = (variable) =>
    pages.some(({ blocks }) => blocks.some((block) => isRunnable(block) && block.text.includes(variable)));
  const environment = {
    ...(names('DATABASE_URL') ? { DATABASE_URL: await services.createDatabase() } : {}),
    ...(names('REDIS_URL') ? { REDIS_URL: await services.startRedis() } : {}),
  };
  const project = createProject(folder, { shelf, environment });
  const checked = { project, environment, name, port: await freePort(), quickStart: quickStartOf(readme), row: null };
  const faults = structureFaults(readme, exemptSections[name], reference).map(withPath(readme));
  const first = await runBlocks(checked, readme);
  const installed = project.manifest();
  let { ran } = first;
  faults.push(...first.faults);
  for (const page of reference) {
    project.write('package.json', installed);
    const run = await runBlocks(checked, page);
    faults.push(...languageFaults(page).map(withPath(page)), ...run.faults);
    ran += run.ran;
  }
  return { faults, row: checked.row, ran };
}

const withPath =
  ({ path }) =>
  (fault) => ({ path, ...fault });

async function runBlocks(checked, page) {
  const { project, environment, name } = checked;
  const faults = [];
  const { blocks } = page;
  const run = { ...checked, blocks, faults, server: null, shell: project.openShell(), toCompile: [], ran: 0 };
  try {
    for (const block of blocks.filter(isRunnable)) {
      if (environment.REDIS_URL === '' && block.text.includes('REDIS_URL')) {
        say(`${name}: SKIPPED, since redis-server is missing: the block at line ${block.line} of ${page.path}`);
        if (process.env.CI === 'true')
          faults.push({ line: block.line, message: 'needs redis-server, which is missing' });
        continue;
      }
      if (block === checked.quickStart) checked.row = rowOf(name, block, project.folder);
      if (block.language === 'sh') await runShellBlock(run, block);
      else await runProgramBlock(run, block);
      run.ran += 1;
    }
    await stopServer(run);
    faults.push(...keptFaults(project.compileKept(), run.toCompile));
  } finally {
    await run.server?.program.stop();
    await run.shell.close();
  }
  return { ran: run.ran, faults: faults.map(withPath(page)) };
}

async function runProgramBlock(run, block) {
  const { project, faults } = run;
  const path = pathOf(block);
  const isClient = callsServer(block.text);
  if (!isClient) await stopServer(run);
  else if (run.server === null && !run.blocks.includes(run.quickStart)) await startQuickStart(run, block);
  const installed = project.installedByName();
  for (const imported of importedPackages(block.text).filter((each) => !installed.includes(each))) {
    faults.push({
      line: block.line,
      message: `imports ${imported}, which no install line above, or of the README, names`,
    });
  }
  project.write(path, withPort(block.text, run.port));
  if (block.language === 'ts') run.toCompile.push({ block, place: project.keepToCompile(path) });
  if (block === run.quickStart && readmeRequests[run.name] !== undefined) await sendRequests(run, block);
  const program = await project.start(path, isClient ? await freePort() : run.port);
  if (program.listens) {
    run.server = { program, block };
    return;
  }
  await program.stop();
  if (program.exitCode === 0) return;
  const what = program.exitCode === null ? 'neither ended nor listened on PORT' : `ended with code ${program.exitCode}`;
  faults.push({ line: block.line, message: `${path} ${what}\n${lastLines(program.output())}` });
}

/** For a page of the reference whose program calls a server. */
async function startQuickStart(run, { line }) {
  const { project, port, quickStart } = run;
  project.write(pathOf(quickStart), withPort(quickStart.text, port));
  const program = await project.start(pathOf(quickStart), port);
  run.server = { program, block: quickStart };
  if (!program.listens) run.faults.push({ line, message: `calls the quick start\n${lastLines(program.output())}` });
}

/** The requests get a server of their own, so that the shell blocks find a fresh one. */
async function sendRequests({ project, faults, name, port }, block) {
  const program = await project.start(pathOf(block), port);
  try {
    if (!program.listens)
      faults.push({ line: block.line, message: 'scripts/readme-requests.mjs asks a program that is no server' });
    else {
      const messages = await requestFaults(readmeRequests[name], `http://127.0.0.1:${port}`);
      faults.push(
        ...messages.map((message) => ({ line: block.line, message: `(scripts/readme-requests.mjs) ${message}` })),
      );
    }
  } finally {
    await program.stop();
  }
}

async function stopServer(run) {
  if (run.server === null) return;
  const { program, block } = run.server;
  run.server = null;
  const code = await program.stop();
  if (code === null || code === 0) return;
  run.faults.push({ line: block.line, message: `the server ended with code ${code}\n${lastLines(program.output())}` });
}

async function runShellBlock(run, block) {
  for (const step of shellSteps(block.text, isCompleteCommand)) {
    if (run.server !== null && startsFile(step.command, run.server.program.path)) continue;
    const line = block.line + step.line;
    const command = withPort(step.command, run.port).replaceAll('npx tsx ', 'tsx ');
    const { code, output, errors } = await run.shell.run(command);
    if (code !== 0) {
      run.faults.push({ line, message: `${step.command}\nfailed: ${code}\n${lastLines(output + errors)}` });
      if (typeof code === 'string') throw new Error(`${run.name}: ${step.command}: ${code}`);
    } else if (step.expected !== null && !matchesExpected(output, withPort(step.expected, run.port))) {
      run.faults.push({
        line,
        message: `${step.command}\nprinted:\n${lastLines(output)}\nexpected:\n${step.expected}`,
      });
    }
  }
}

function rowOf(name, block, folder) {
  const numbers = ({ packages, megabytes }) => `${packages} | ${megabytes.toFixed(1)}`;
  const own = weightOfPackage(folder, `@sallyport/${name}`);
  return `| ${name} | ${countLines(block.text)} | ${numbers(own)} | ${numbers(weightOfProject(folder))} |`;
}

function tableOf(rows) {
  return [
    '| package | lines of the quick start | packages, with dependencies | MB | packages, whole install line | MB |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    options: { table: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const names = [...packageNames, ...pagesFollowedIn('project')];
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`no package, and no page with 'follow: project': ${unknown.join(', ')}`);
  const work = mkdtempSync(join(tmpdir(), 'sallyport-shelf-'));
  const shelf = join(work, 'shelf');
  try {
    stockShelf(shelf, packPackages(work), installedByPages());
    const { faults, table } = await checkReadmes(positionals.length > 0 ? positionals : names, shelf);
    if (values.table) say(`\n${table}`);
    if (faults.length > 0) say(`\n${faults.join('\n\n')}\n\n${faults.length} faults`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
