import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CaptchaReader } from './sign-ins.js';

const run = promisify(execFile);

/** Longer than the lifetime of a captcha, in milliseconds. */
const COMMAND_LIMIT_MILLIS = 120_000;

/** Asks at the terminal. @param ask shows a question, and resolves to the typed line */
export function askingReader(ask: (question: string) => Promise<string>): CaptchaReader {
  return (image) => withFile(image, (path) => ask(`Captcha ${image.number}: open ${path} and type what it shows: `));
}

/**
 * Runs a program: its last argument is the file, its output the answer. It runs without a shell and without the token.
 */
export function commandReader(command: string, args: readonly string[]): CaptchaReader {
  return (image) =>
    withFile(image, async (path) => {
      const { ACCEPTANCE_TOKEN: _, ...env } = process.env;
      const { stdout } = await run(command, [...args, path], { timeout: COMMAND_LIMIT_MILLIS, env });
      return stdout.trim();
    });
}

async function withFile<Result>(
  { bytes, extension }: Parameters<CaptchaReader>[0],
  read: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'acceptance-captcha-'));
  try {
    const path = join(folder, `captcha.${extension === '' ? 'png' : extension}`);
    await writeFile(path, bytes, { mode: 0o600 });
    return await read(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
