// `pnpm run states`: writes the application before the first diff of its README, and after each, into `dist/states`.
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const examples = fileURLToPath(new URL('../../', import.meta.url));
const example = join(examples, 'existing-app');

/** The folders of the five states below `examples`, in their order. */
export const STATES = [
  'existing-app/dist/states/0-before',
  'existing-app/dist/states/1-audit-log',
  'existing-app/dist/states/2-idempotency',
  'existing-app/dist/states/3-login-policy',
  'existing-app/dist/states/4-upload-policy',
] as const;

export const folderOf = (state: string): string => join(examples, state);

/** Takes every diff of the README back from `src`. Then applies them again, one more for each state. */
export function writeStates(): void {
  const readme = readFileSync(join(example, 'README.md'), 'utf8');
  const diffs = [...readme.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, text]) => text as string);
  if (diffs.length !== STATES.length - 1) throw new Error(`the README has ${diffs.length} diffs`);

  rmSync(join(example, 'dist/states'), { recursive: true, force: true });
  let last = example;
  for (const [i, state] of STATES.entries()) {
    const folder = folderOf(state);
    copy(last, folder);
    if (i === 0) for (const diff of diffs.toReversed()) apply(diff, folder, '--reverse');
    else apply(diffs[i - 1] as string, folder);
    last = folder;
  }
}

function copy(from: string, to: string): void {
  for (const part of ['src', 'package.json']) cpSync(join(from, part), join(to, part), { recursive: true });
  // The compiler reads the sources of the packages, which need no build.
  const compilerOptions = { composite: false, noEmit: true, customConditions: ['@sallyport/source'] };
  const settings = { extends: '../../../../../tsconfig.base.json', compilerOptions, include: ['src'] };
  writeFileSync(join(to, 'tsconfig.json'), JSON.stringify(settings));
}

function apply(diff: string, folder: string, ...words: readonly string[]): void {
  // Git must not find this repository: paths count from the folder.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: join(folder, '..') };
  execFileSync('git', ['apply', ...words, '-'], { cwd: folder, input: diff, env });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeStates();
