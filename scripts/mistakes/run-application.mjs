// Starts an application as its authors would, and asks it.
import { match } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long an application may take to end or to listen, in milliseconds. The machine may be busy. */
const MAX_START_MILLIS = 90_000;

const POLL_MILLIS = 20;

/** How long a line of the log may come after the answer, in milliseconds. */
const MAX_LATER_MILLIS = 5000;

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {string} text
 * @property {any} json undefined if the text is no JSON
 * @property {Headers} headers
 */

/**
 * @typedef {object} RunningServer
 * @property {(target: string, options?: { headers?: Record<string, string>, body?: unknown }) => Promise<Answer>} ask
 *   Sends `GET /path`. A `body` that is no `FormData` is sent as JSON.
 * @property {() => string} output what the application has printed
 * @property {(pattern: RegExp) => Promise<void>} prints Waits until the output matches. Rejects if it does not.
 */

/** Prints where the application listens. A port that was chosen before it starts could be another's by then. */
const listening = new URL('tell-address.mjs', import.meta.url).href;
const ADDRESS = /^listening on (\S+)\n/gm;

/**
 * @param {string} folder of the project
 * @param {string} command a file of it, and arguments
 */
export async function startApplication(folder, command) {
  const child = spawn(process.execPath, ['--import', listening, ...command.split(' ')], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  const closed = once(child, 'close');
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const addressOf = () => [...printed.matchAll(ADDRESS)][0]?.[1];
  const deadline = Date.now() + MAX_START_MILLIS;
  while (!isOver() && addressOf() === undefined && Date.now() < deadline)
    await Promise.race([closed, sleep(POLL_MILLIS)]);
  if (isOver()) await closed;
  const output = () => printed.replace(ADDRESS, '');
  return {
    listens: !isOver() && addressOf() !== undefined,
    /** Null if it had not ended by itself. */
    exitCode: isOver() ? child.exitCode : null,
    output,
    async prints(pattern) {
      const end = Date.now() + MAX_LATER_MILLIS;
      while (!pattern.test(output()) && Date.now() < end) await sleep(POLL_MILLIS);
      match(output(), pattern);
    },
    ...createAsk(`http://${addressOf()}`),
    async stop() {
      if (!isOver()) process.kill(-child.pid, 'SIGKILL');
      await closed;
    },
  };
}

function createAsk(origin) {
  /** @type {{ target: string, status: number, text: string }[]} */
  const answers = [];
  return {
    answers,
    async ask(target, { headers = {}, body } = {}) {
      const [method, path] = target.split(' ');
      const isJson = body !== undefined && !(body instanceof FormData);
      const response = await fetch(`${origin}${path}`, {
        method,
        headers: { ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers },
        body: isJson ? JSON.stringify(body) : body,
        redirect: 'manual',
      });
      const text = await response.text();
      // What the application printed before it answered is in the pipe. Two turns of the event loop read it.
      for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      answers.push({ target, status: response.status, text });
      return { status: response.status, text, json: parsed(text), headers: response.headers };
    },
  };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
