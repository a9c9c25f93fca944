import { createEnvelopeClient, EnvelopeClientError } from '@sallyport/envelope-crypto/client';
import { readCommandLine } from '@sallyport/plugin-kit/command-line';
import { developmentAccount, passwordToSend } from '../modules/administrators/index.js';
import { NoAnswerError, OtherServiceError, serverAddress, whyUnanswered } from './server-address.js';

const USAGE = `node dist/commands/sign-in.js [--url URL] [--username NAME] [--terminal TERMINAL]

Signs in to a running server and prints the token, for the header 'authorization: Bearer TOKEN'. Without --username it
takes the account of development; else it asks for the password. The password is sent as its SM3, in an envelope if the
server takes one. It asks for the code of an account with a second factor, or for a recovery code; a passkey
needs a browser. Default: the port SERVICE_PORT of this machine, or 3000; terminal web.

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

/** The time limit of the server's answer, in milliseconds. A sign-in that waits for others takes seconds. */
const ANSWER_LIMIT_MILLIS = 30_000;

interface LoginAnswer {
  readonly data?: {
    readonly token?: unknown;
    readonly secondFactor?: { readonly kinds?: readonly string[]; readonly mustEnrol?: boolean };
  };
  readonly code?: unknown;
  readonly detail?: unknown;
}

/** Signs in from a shell, and writes only the token. Resolves to the exit status. */
export async function runSignInCommand({ argv, port, ask, write, writeError }: SignInCommandProcess): Promise<0 | 2> {
  try {
    const { values } = readCommandLine(argv, {
      options: {
        url: { type: 'string' },
        username: { type: 'string' },
        terminal: { type: 'string', default: 'web' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      write(USAGE);
      return 0;
    }
    const url = serverAddress(values.url, port);
    const { username = developmentAccount.username, terminal } = values;
    const typed = values.username === undefined ? developmentAccount.password : await ask(`Password of ${username}: `);
    const body = JSON.stringify({ username, password: passwordToSend(typed), terminal });
    write(`${await signIn(url, body, ask)}\n`);
    return 0;
  } catch (error) {
    writeError(`The sign-in failed. ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

/** Resolves to the token. */
async function signIn(url: string, body: string, ask: SignInCommandProcess['ask']): Promise<string> {
  const { token, secondFactor } = await post(url, { path: '/admin/auth/login', body });
  if (secondFactor === undefined) return token;
  if (secondFactor.mustEnrol === true) {
    throw new Error('The account has to set up a second factor first, such as at its next sign-in to the console.');
  }
  const code = (await ask('Code of the authenticator app, or a recovery code: ')).trim();
  const kind = /^\d{6}$/.test(code) ? 'totp' : 'recovery-code';
  return (await post(url, { path: '/auth/second-factor', body: JSON.stringify({ kind, code }), token })).token;
}

interface Post {
  readonly path: string;
  readonly body: string;
  /** The token of a sign-in that needs a second step. */
  readonly token?: string;
}

/** Resolves to an answer with a token. */
async function post(baseUrl: string, { path, body, token }: Post) {
  let status = 0;
  const limit = new AbortController();
  // A timer is used because `AbortSignal.timeout` does not keep the process alive, and a silent connection does not
  // either.
  const timer = setTimeout(() => limit.abort(new NoAnswerError()), ANSWER_LIMIT_MILLIS);
  const client = createEnvelopeClient({
    baseUrl,
    async fetch(input, init) {
      const response = await fetch(input, { ...init, signal: limit.signal });
      ({ status } = response);
      return response;
    },
  });
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = { 'content-type': 'application/json', ...bearer };
  const answer = await client
    .fetch(path, { method: 'POST', headers, body })
    .then(readAnswer)
    .catch((error: unknown): LoginAnswer => {
      if (!(error instanceof EnvelopeClientError)) throw new Error(whyUnanswered(error, baseUrl));
      // The server has answered without a description of its encryption.
      if (error.code === 'BOOTSTRAP_FAILED') return {};
      throw error;
    })
    .finally(() => clearTimeout(timer));
  const { data, code, detail } = answer;
  if (typeof data?.token === 'string') return { ...data, token: data.token };
  if (typeof code === 'string') throw new Error(`${code}: ${detail}`);
  if (status === 429 || status >= 500) throw new Error(`The server answered ${status}; try again.`);
  throw new OtherServiceError(baseUrl, `status ${status}`);
}

/** Empty if the answer is not a JSON object. */
async function readAnswer(response: Response): Promise<LoginAnswer> {
  const text = await response.text();
  try {
    return { ...(JSON.parse(text) as LoginAnswer | null) };
  } catch {
    return {};
  }
}
