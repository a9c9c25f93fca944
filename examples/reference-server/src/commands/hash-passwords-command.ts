import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { readCommandLine } from '@sallyport/plugin-kit/command-line';
import { clientDigest } from '../modules/passwords/index.js';
import { failureText } from '../storage/failure-text.js';

const USAGE = `node dist/commands/hash-passwords.js < WORDS | LC_ALL=C sort -u > FILE

Makes the file for SERVICE_AUTH_PASSWORD_BREACHED_FILE: reads passwords, one a line in UTF-8, and writes the hash of each
as the clients send it, SM3 in 64 lower-case hex digits, which sort brings into order. A list of any size takes little
memory, and 65 bytes of the file for each password. The file holds no password in plain text, but shows which are in it.

Exit status: 0 success; 2 the command failed.
`;

/** In UTF-16 code units: written at once, since each write costs more than a hash. */
const CHUNK_LENGTH = 65_000;

/** The parts of a process that the command uses. */
export interface HashPasswordsProcess {
  readonly argv: readonly string[];
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly writeError: (text: string) => void;
}

/** Writes the hashes of passwords (PWD-4). Resolves to the exit status. */
export async function runHashPasswordsCommand(process: HashPasswordsProcess): Promise<0 | 2> {
  try {
    const { values } = readCommandLine(process.argv, {
      options: { help: { type: 'boolean', short: 'h', default: false } },
    });
    await pipeline(values.help ? [USAGE] : hashesOf(process.input), process.output, { end: false });
    return 0;
  } catch (error) {
    process.writeError(`The command failed. ${failureText(error)}\n`);
    return 2;
  }
}

async function* hashesOf(input: NodeJS.ReadableStream): AsyncGenerator<string> {
  let chunk = '';
  for await (const password of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (password === '') continue;
    chunk += `${clientDigest(password)}\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}
