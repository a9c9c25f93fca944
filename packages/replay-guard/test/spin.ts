import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** The longest trail has some hundred lines. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

const MODEL = modelPath('nonce-retention.pml');

function modelPath(name: string): string {
  return fileURLToPath(new URL(`../model/${name}`, import.meta.url));
}

/** Beyond it a search fails. */
const MAX_SEARCH_MEGABYTES = 1500;

/** One step of the model, and its state after it. */
export interface TraceStep {
  readonly name: string;
  readonly args: readonly number[];
  readonly state: Readonly<Record<string, number>>;
}

/** A run of the model with choices drawn from a seed. */
export function simulate(switches: readonly string[], seed: number, maxSteps: number): Promise<TraceStep[]> {
  return inFolder(async (spin) => readTrace(await spin([...switches, '-T', `-n${seed}`, `-u${maxSteps}`, MODEL])));
}

/** Every state of the model is visited. Null: no envelope takes effect twice. Otherwise the steps by which one does. */
export function findReplay(switches: readonly string[]): Promise<{ states: number; trace: TraceStep[] | null }> {
  return inFolder(async (spin, run) => {
    await spin([...switches, '-a', MODEL]);
    const { states, isViolated } = await search(run, ['-O1', '-DCOLLAPSE'], ['-m100000']);
    if (!isViolated) return { states, trace: null };
    const trail = await spin([...switches, '-T', '-k', 'nonce-retention.pml.trail', MODEL]);
    return { states, trace: readTrace(trail) };
  });
}

/** Every state of the model of losses is visited, up to the first in which an assertion does not hold. */
export function exploreLosses(switches: readonly string[]): Promise<{ states: number; isViolated: boolean }> {
  return inFolder(async (spin, run) => {
    await spin([...switches, '-a', modelPath('nonce-loss.pml')]);
    // Its time ends, which is no deadlock.
    return search(run, ['-O1', `-DMEMLIM=${MAX_SEARCH_MEGABYTES}`], ['-E', '-m5000', '-w22']);
  });
}

async function search(run: Run, compiler: readonly string[], options: readonly string[]) {
  await run('gcc', ['-w', '-DSAFETY', '-DNOREDUCE', ...compiler, '-o', 'pan', 'pan.c']);
  const report = await run('./pan', ['-n', ...options]);
  const [, errors] = /errors: (\d+)/.exec(report) ?? [];
  const [, states] = /(\d+) states, stored/.exec(report) ?? [];
  const isCut = /max search depth too small|out of memory|memory limit/.test(report);
  if (errors === undefined || states === undefined || isCut) {
    throw new Error(`spin did not visit every state:\n${report}`);
  }
  return { states: Number(states), isViolated: errors !== '0' };
}

type Run = (command: string, args: readonly string[]) => Promise<string>;

/** spin leaves files where it runs. */
async function inFolder<Result>(
  work: (spin: (args: readonly string[]) => Promise<string>, run: Run) => Promise<Result>,
): Promise<Result> {
  const cwd = await mkdtemp(join(tmpdir(), 'spin-'));
  const run: Run = async (command, args) => {
    const { stdout } = await execute(command, args, { cwd, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  };
  try {
    return await work((args) => run('spin', args), run);
  } finally {
    await rm(cwd, { recursive: true });
  }
}

/** The lines `STEP name arg …` and `STATE name=value …` that the model prints. */
function readTrace(text: string): TraceStep[] {
  const steps: { name: string; args: number[]; state: Record<string, number> }[] = [];
  for (const line of text.split('\n')) {
    const [kind, ...words] = line.trim().split(' ');
    if (kind === 'STEP') steps.push({ name: words[0] as string, args: words.slice(1).map(Number), state: {} });
    const last = steps.at(-1);
    // A step that accepts prints its state twice. The last one counts.
    if (kind === 'STATE' && last !== undefined) {
      last.state = Object.fromEntries(
        words.map((word) => word.split('=')).map(([name, value]) => [name, Number(value)]),
      );
    }
  }
  // A run that is cut off after a number of steps may end in the middle of one.
  return steps.filter(({ state }) => 'now' in state);
}
