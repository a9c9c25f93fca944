import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { runSignInCommand } from './sign-in-command.js';

/** Shows the question, but not the typed text. */
async function ask(question: string): Promise<string> {
  const { stdin, stderr } = process;
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true });
  // Without the echo of the terminal, Ctrl+C reaches only this handler.
  terminal.once('SIGINT', () => process.exit(130));
  stderr.write(question);
  const ended = once(terminal, 'close').then(() => {
    throw new Error('Standard input ended before a password was given.');
  });
  try {
    return await Promise.race([terminal.question(''), ended]);
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}

process.exitCode = await runSignInCommand({
  argv: process.argv.slice(2),
  port: process.env.SERVICE_PORT,
  ask,
  write: (text) => void process.stdout.write(text),
  writeError: (text) => void process.stderr.write(text),
});
