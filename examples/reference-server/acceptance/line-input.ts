import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

/** Lines that somebody types, or that a program hands over. */
export interface LineInput {
  /** Shows a question, and resolves to the next line; null at the end. What is secret isn't shown while it is typed. */
  ask(question: string, isSecret?: boolean): Promise<string | null>;
  /** Whoever asks is told that there is no more. */
  close(): void;
}

/**
 * Opened with the first question: a program that asks none leaves its input alone.
 *
 * @param onInterrupt at Ctrl-C, which a terminal's input takes for itself
 */
export function createLineInput(
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean },
  output: NodeJS.WritableStream,
  onInterrupt: () => void,
): LineInput {
  let reader: Interface | null = null;
  let isClosed = false;
  let isEchoing = true;
  let waiting: ((line: string | null) => void) | null = null;
  const lines: string[] = [];

  function open(): void {
    const echo = new Writable({
      write(chunk, _encoding, done) {
        if (isEchoing) output.write(chunk);
        done();
      },
    });
    reader = createInterface({ input, output: echo, terminal: input.isTTY === true });
    reader.on('SIGINT', onInterrupt);
    reader.on('line', (line) => {
      if (waiting === null) lines.push(line);
      else hand(line);
    });
    reader.once('close', () => {
      isClosed = true;
      hand(null);
    });
  }

  function hand(line: string | null): void {
    waiting?.(line);
    waiting = null;
  }

  return {
    async ask(question, isSecret = false) {
      output.write(question);
      if (reader === null && !isClosed) open();
      isEchoing = !isSecret;
      const line =
        lines.shift() ??
        (isClosed
          ? null
          : await new Promise<string | null>((resolve) => {
              waiting = resolve;
            }));
      isEchoing = true;
      if (isSecret) output.write('\n');
      return line;
    },
    close() {
      isClosed = true;
      reader?.close();
      hand(null);
    },
  };
}
