import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = fileURLToPath(new URL('../run', import.meta.url));

/** Runs a program of the client to its end, and resolves to its lines. Rejects if it fails. */
export async function runJava(...words: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(run, words, { maxBuffer: 16 * 1024 * 1024 });
  return stdout.trimEnd().split('\n');
}

/** Options of a client. */
export interface SessionOptions {
  readonly baseUrl: string;
  readonly trustedKeys?: readonly string[];
  readonly exempt?: readonly string[];
  readonly requireEncryption?: boolean;
  readonly timeoutMillis?: number;
  /** How far the clock of its machine is off. */
  readonly clockOffsetMillis?: number;
}

/** What the client makes of a request. */
export interface SessionAnswer {
  readonly status?: number;
  readonly protection?: 'SEALED' | 'MISSING' | 'NONE';
  readonly contentType?: string;
  readonly text?: string;
  /** The code of the error in place of an answer. */
  readonly error?: string;
}

export interface SessionRequest {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A client in a Java process of its own. */
export interface Session {
  send(request: SessionRequest): Promise<SessionAnswer>;
  /** Sends it from so many threads at once. */
  sendAtOnce(request: SessionRequest, threads: number): Promise<SessionAnswer[]>;
  /** Tells the client that OFF was planned. */
  acceptOff(): Promise<unknown>;
  /** Another client with the same options, in the same process. */
  renew(): Promise<unknown>;
  close(): Promise<void>;
}

export function openSession(options: SessionOptions): Session {
  const child: ChildProcess = spawn(run, ['session', JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  async function read(): Promise<SessionAnswer> {
    const { value, done } = await lines.next();
    if (done) throw new Error('the Java process ended');
    return JSON.parse(value) as SessionAnswer;
  }
  function tell(command: object): Promise<SessionAnswer> {
    child.stdin!.write(`${JSON.stringify(command)}\n`);
    return read();
  }
  return {
    send: tell,
    async sendAtOnce(request, threads) {
      const answers = [await tell({ ...request, threads })];
      while (answers.length < threads) answers.push(await read());
      return answers;
    },
    acceptOff: () => tell({ do: 'accept OFF' }),
    renew: () => tell({ do: 'new client' }),
    async close() {
      child.stdin!.end();
      await closed;
    },
  };
}
