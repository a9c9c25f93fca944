import { parseArgs } from 'node:util';
import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import { developmentAccount, passwordToSend } from '../modules/administrators/index.js';

const USAGE = `node dist/commands/sign-in.js [--url URL] [--username NAME] [--terminal TERMINAL]

Signs in to a running server and prints the token, for the header 'authorization: Bearer TOKEN'. Without --username it
takes the account of development; else it asks for the password. The password is sent as its SM3, in an envelope if the
server takes one. Default: the port SERVICE_PORT of this machine, or 3000; terminal web.

Exit status: 0 success, 2 the sign-in was refused or failed.
`;

/** The parts of a process that the command uses. */
export interface SignInCommandProcess {
  readonly argv: readonly string[];
  /** The port of the server of this machine. */
  readonly port: string | undefined;
  readonly ask: (question: string) => Promise<string>;
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

interface LoginAnswer {
  readonly data?: { readonly token?: unknown };
  readonly code?: unknown;
  readonly detail?: unknown;
}

/** Signs in from any shell, and writes the token alone. Resolves to the exit status. */
export async function runSignInCommand({
  argv,
  port = '3000',
  ask,
  write,
  writeError,
}: SignInCommandProcess): Promise<0 | 2> {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        url: { type: 'string', default: `http://127.0.0.1:${port}` },
        username: { type: 'string' },
        terminal: { type: 'string', default: 'web' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      write(USAGE);
      return 0;
    }
    const { username = developmentAccount.username, terminal } = values;
    const typed = values.username === undefined ? developmentAccount.password : await ask(`Password of ${username}: `);
    const body = JSON.stringify({ username, password: passwordToSend(typed), terminal });
    const answer = await signIn(values.url.replace(/\/$/, ''), body);
    if (typeof answer.data?.token !== 'string') throw new Error(`${answer.code}: ${answer.detail}`);
    write(`${answer.data.token}\n`);
    return 0;
  } catch (error) {
    writeError(`The sign-in failed. ${reasonOf(error)}\n`);
    return 2;
  }
}

async function signIn(baseUrl: string, body: string): Promise<LoginAnswer> {
  // The command is for the own server: its clock is believed.
  const client = createEnvelopeClient({ baseUrl, confirmClock: () => true });
  const headers = { 'content-type': 'application/json' };
  const response = await client.fetch('/admin/auth/login', { method: 'POST', headers, body });
  return (await response.json()) as LoginAnswer;
}

/** `fetch` names the reason in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${reasonOf(error.cause)}` : error.message;
}
