import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

/** Lines that a person types or a program writes. */
export interface LineInput {
  /** Shows a question, and resolves to the next line or null at the end. A secret is not echoed. */
  ask(question: string, isSecret?: boolean): Promise<string | null>;
  /** Ends the input: pending questions resolve to null. */
  close(): void;
}

/**
 * Opened with the first question: a program that asks none does not touch its input.
 *
 * @param onInterrupt called at Ctrl-C, which the terminal's input intercepts
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
