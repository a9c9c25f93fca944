import { type FileHandle, open } from 'node:fs/promises';
import { type Config, ConfigError, variableOf } from '../../config/config.js';
import { CLIENT_DIGEST, clientDigest } from './client-digest.js';

const PROPERTY = 'auth.password.breached-file';

/** A hash as the reference clients send it, and the end of its line. All lines have one length, as a search needs. */
const LINE = /^[0-9a-f]{64}\n$/;
const LINE_BYTES = 65;

/** The start reads so many lines, evenly over the file: a wrong form or order is found in a file of any size. */
const MAX_SAMPLES = 1000;

/** Hashes of passwords that leaked, in a file that is searched where it is. */
export interface BreachedPasswords {
  /**
   * Whether the password that a client sent is in the file, by its hash or, for clients that do not hash, by its text.
   * Reads one line for each halving of the file, and keeps none.
   */
  has(sent: string): Promise<boolean>;
  close(): Promise<void>;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Null if no file is configured. */
    breachedPasswords: BreachedPasswords | null;
  }
}

/**
 * Opens the file, and checks its size, and form and order of samples. Resolves to null if none is configured.
 *
 * Rejects with a ConfigError if the file can't be read or searched.
 */
export async function openBreachedPasswords(config: Pick<Config, typeof PROPERTY>): Promise<BreachedPasswords | null> {
  const path = config[PROPERTY];
  if (path === null) return null;
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw refused(`can not be read: ${error.code}`, 'name a file that this user may read');
  });
  try {
    const count = await countLines(file);
    return {
      async has(sent) {
        const lower = sent.toLowerCase();
        return contains(file, count, CLIENT_DIGEST.test(lower) ? lower : clientDigest(sent));
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function countLines(file: FileHandle): Promise<number> {
  const facts = await file.stat();
  if (!facts.isFile()) throw refused('is not a file', 'name a file of hashes');
  if (facts.size === 0 || facts.size % LINE_BYTES !== 0) throw noHashes('its size is not that of lines of 65 bytes');
  const count = facts.size / LINE_BYTES;
  let before = '';
  for (const index of samplesOf(count)) {
    const line = await lineAt(file, index);
    if (line === null) throw noHashes(`line ${index + 1} is not 64 lower-case hex digits`);
    if (line <= before) throw noHashes(`line ${index + 1} is not in its order`);
    before = line;
  }
  return count;
}

function* samplesOf(count: number): Generator<number> {
  const samples = Math.min(count, MAX_SAMPLES);
  for (let sample = 0; sample < samples; sample++) {
    yield samples === count ? sample : Math.floor((sample * (count - 1)) / (samples - 1));
  }
}

async function contains(file: FileHandle, count: number, hash: string): Promise<boolean> {
  let [first, end] = [0, count];
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    const line = await lineAt(file, middle);
    // A password that can't be checked is not accepted.
    if (line === null) throw new Error(`${variableOf(PROPERTY)} was changed: line ${middle + 1} is not a hash`);
    if (line === hash) return true;
    if (line < hash) first = middle + 1;
    else end = middle;
  }
  return false;
}

/** Null if it is not a hash. */
async function lineAt(file: FileHandle, index: number): Promise<string | null> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(LINE_BYTES), 0, LINE_BYTES, index * LINE_BYTES);
  const line = buffer.toString('latin1', 0, bytesRead);
  return LINE.test(line) ? line.slice(0, -1) : null;
}

function noHashes(reason: string): ConfigError {
  return refused(
    `is no sorted file of hashes: ${reason}`,
    'write it with node dist/commands/hash-passwords.js, and sort it with LC_ALL=C sort -u',
  );
}

function refused(reason: string, fix: string): ConfigError {
  return new ConfigError([`${variableOf(PROPERTY)} ${reason}; ${fix}`]);
}
