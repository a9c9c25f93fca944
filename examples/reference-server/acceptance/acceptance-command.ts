import { setTimeout as sleep } from 'node:timers/promises';
import { readCommandLine } from '@sallyport/plugin-kit/command-line';
import { closestName } from '@sallyport/plugin-kit/options';
import { createAttestation } from './asvs/attestation.js';
import { asvsClaims } from './asvs/claims.js';
import { readBaseUrl } from './base-url.js';
import { askingReader, commandReader } from './captcha-readers.js';
import type { AcceptanceCheck } from './check.js';
import { createDeployment, retryCalls } from './deployment.js';
import { type NewFile, openNewFile } from './new-file.js';
import { readRelease } from './release.js';
import { exitStatusOf, printable, textOfCheck, textOfRun } from './report-text.js';
import { type RunReport, runChecks } from './run-checks.js';
import type { CaptchaReader } from './sign-ins.js';
import { findLeftBehind, removeLeftBehind } from './temporaries.js';

const USAGE = `node dist/acceptance/main.js --url URL [--only ID]... [--json]
node dist/acceptance/main.js --url URL --clean
node dist/acceptance/main.js --list

Attacks a running deployment, by HTTP alone, and says what it did and found. The token of an administrator with every
permission is read from ACCEPTANCE_TOKEN, else from the first line of standard input; never from an argument, which
everybody on this machine can read.

    --only ID              a check, or a subject such as tokens; as often as you like
    --list                 prints the checks, and runs none
    --json                 prints one JSON object at the end, instead of text
    --attestation FILE     writes what it saw of the items of OWASP ASVS 5.0.0, with the tests of this release, into a new
                           file (CycloneDX 1.7). Evidence, never a certification
    --captcha ask          where sign-in needs a picture (a proof of work is made without you): shows each as a file,
                           and asks for the answer
    --captcha-command CMD  runs CMD with the file as its last argument instead; its output is the answer
    --bypass 'PATH METHOD' a route in the clear in addition to the built-in ones, as in SERVICE_API_ENCRYPTION_BYPASS_ROUTES
    --development          a development server: its documentation and its outlets may be there
    --allow-http           sends the token in the clear to another machine
    --clean                deletes what earlier runs that were killed have left, and runs nothing

Everything that it makes is named acceptance-… and deleted again, after an interruption too. Parameters and other accounts
are never changed. What stays: audit records, and what expires by itself (idempotency keys, counters of limits, nonces).

A check that meets 503 runs again after a pause, up to four times; then it was not run.

Exit status: 0 everything that applies holds, 1 there is a hole, 2 something could not be run or deleted.
`;

/** The parts of a process that the command uses. */
export interface AcceptanceProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly checks: readonly AcceptanceCheck[];
  /** Reads a line of standard input; null at its end. */
  readonly ask: (question: string, isSecret?: boolean) => Promise<string | null>;
  /** Aborted when the run is to be interrupted. */
  readonly signal: AbortSignal;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

/** Attacks a deployment (OPS-6). Resolves to the exit status. */
export async function runAcceptanceCommand(process: AcceptanceProcess): Promise<0 | 1 | 2> {
  try {
    return await run(process);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.writeError(`Nothing was checked. ${printable(why)}\n`);
    return 2;
  }
}

async function run(process: AcceptanceProcess): Promise<0 | 1 | 2> {
  const { argv, checks, write } = process;
  const given = readArguments(argv);
  if (given.help) {
    write(USAGE);
    return 0;
  }
  const chosen = choose(checks, given.only);
  if (given.list) {
    write(chosen.map(({ id, title }) => `${id}: ${title}\n`).join(''));
    return 0;
  }
  if (given.url === undefined) throw new TypeError('--url is missing; --help shows the rest.');
  const url = readBaseUrl(given.url, given['allow-http']);
  const token = await readToken(process);
  if (given.clean) return clean(process, url, token, given.bypass);

  const attestation = given.attestation === undefined ? null : await openNewFile(given.attestation);
  try {
    return await check(process, { given, url, token, chosen, attestation });
  } finally {
    await attestation?.close();
  }
}

interface Prepared {
  readonly given: Arguments;
  readonly url: URL;
  readonly token: string;
  readonly chosen: readonly AcceptanceCheck[];
  readonly attestation: NewFile | null;
}

async function check(process: AcceptanceProcess, prepared: Prepared): Promise<0 | 1 | 2> {
  const { given, url, token, chosen, attestation } = prepared;
  const { signal, write, writeError } = process;
  const report = await runChecks({
    url,
    token,
    checks: chosen,
    readCaptcha: readerOf(process, given),
    bypass: given.bypass,
    isDevelopment: given.development,
    signal,
    sleep: sleepUnless,
    onWait: (reason) => writeError(`${printable(reason)}\n`),
    ...(!given.json && { onReport: (each) => write(textOfCheck(each)) }),
  });
  await attestation?.write(`${JSON.stringify(attest(report, token), null, 2)}\n`);
  const status = exitStatusOf(report);
  write(given.json ? `${JSON.stringify({ ...report, status })}\n` : textOfRun(report));
  return status;
}

function attest(report: RunReport, token: string): object {
  const release = readRelease();
  return createAttestation({ report, claims: asvsClaims, release, secrets: [token], now: new Date() });
}

type Arguments = ReturnType<typeof readArguments>;

function readArguments(argv: readonly string[]) {
  // `--token x` and `--token=x`: other users could read it, so it must be revoked.
  if (argv.some((argument) => /^--?token\b/i.test(argument))) {
    throw new TypeError(
      'A token on the command line is shown to everybody on this machine: end its session, and give another one in ' +
        'ACCEPTANCE_TOKEN or on standard input.',
    );
  }
  const { values } = readCommandLine(argv, {
    options: {
      url: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      bypass: { type: 'string', multiple: true, default: [] },
      captcha: { type: 'string' },
      'captcha-command': { type: 'string' },
      attestation: { type: 'string' },
      list: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      clean: { type: 'boolean', default: false },
      development: { type: 'boolean', default: false },
      'allow-http': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.captcha !== undefined && values.captcha !== 'ask') throw new TypeError('--captcha knows one word: ask.');
  return values;
}

function choose(checks: readonly AcceptanceCheck[], only: readonly string[]): readonly AcceptanceCheck[] {
  const isMeant = (id: string, word: string) => id === word || id.startsWith(`${word}.`);
  const unknown = only.find((word) => !checks.some(({ id }) => isMeant(id, word)));
  if (unknown !== undefined) {
    const meant = closestName(
      unknown,
      checks.flatMap(({ id }) => [id, id.split('.')[0]!]),
    );
    const hint = meant === null ? '--list names the checks.' : `did you mean ${meant}?`;
    throw new TypeError(`--only knows no ${unknown}; ${hint}`);
  }
  return only.length === 0 ? checks : checks.filter(({ id }) => only.some((word) => isMeant(id, word)));
}

/** A token must be valid in a header. */
const TOKEN = /^[A-Za-z0-9._~+/=-]{1,8192}$/;

async function readToken({ env, ask }: AcceptanceProcess): Promise<string> {
  const text = env.ACCEPTANCE_TOKEN ?? (await ask("Administrator's token: ", true)) ?? '';
  const token = text.trim().replace(/^Bearer\s+/i, '');
  if (token === '') throw new TypeError('There is no token in ACCEPTANCE_TOKEN or on standard input.');
  if (!TOKEN.test(token)) throw new TypeError('What was given is no token.');
  return token;
}

function readerOf({ ask }: AcceptanceProcess, given: Arguments): CaptchaReader | null {
  const [command, ...args] = given['captcha-command']?.split(' ').filter((word) => word !== '') ?? [];
  if (command !== undefined) return commandReader(command, args);
  return given.captcha === undefined ? null : askingReader(async (question) => (await ask(question)) ?? '');
}

async function clean(
  { write, signal }: AcceptanceProcess,
  url: URL,
  token: string,
  bypass: readonly string[],
): Promise<0 | 2> {
  const sleep = (millis: number) => sleepUnless(millis, signal);
  const deployment = retryCalls(createDeployment({ url, bypass, signal, sleep }), { sleep });
  const found = await findLeftBehind(deployment, token);
  const left = await removeLeftBehind(deployment, token, found);
  write(`${found.length - left.length} things of earlier runs were deleted.\n`);
  write(left.map((what) => `Left behind: ${printable(what)}\n`).join(''));
  return left.length === 0 ? 0 : 2;
}

async function sleepUnless(millis: number, signal?: AbortSignal): Promise<void> {
  await sleep(millis, undefined, { ...(signal && { signal }) });
}
