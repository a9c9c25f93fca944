// Starts an application as its authors would, and asks it.
import { match } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** How long an application may take to end or to listen, in milliseconds. The machine may be busy. */
const MAX_START_MILLIS = 90_000;

const POLL_MILLIS = 20;

/** How long a line of the log may come after the answer, in milliseconds. */
const MAX_LATER_MILLIS = 30_000;

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
 * @property {() => string} output what of the application's output has arrived. A line may arrive after an answer.
 * @property {(pattern: RegExp) => Promise<string>} prints Waits until the output matches. Rejects if it does not.
 * @property {() => Promise<string>} printed Ends the application, and resolves to all that it has printed.
 */

/** Prints where the application listens. A port that was chosen before it starts could be another's by then. */
const listening = new URL('tell-address.mjs', import.meta.url).href;
const ADDRESS = /^listening on (\S+)\n/gm;

const host = fileURLToPath(new URL('host.mjs', import.meta.url));
const END = /\0end (\d)\n/;

/**
 * @param {string} folder of the project
 * @param {readonly string[]} words
 * @param {'ipc'[]} channel
 */
function startProcess(folder, words, ...channel) {
  const child = spawn(process.execPath, words, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe', ...channel],
    detached: true,
  });
  return { child, closed: once(child, 'close') };
}

/**
 * Collects what a process prints from now on, until it is over.
 * @param {ReturnType<typeof startProcess>} process
 */
function listenTo({ child, closed }) {
  let printed = '';
  const streams = [child.stdout, child.stderr].map((stream) => {
    const one = { stream, text: '', hear };
    function hear(chunk) {
      one.text += chunk;
      printed += chunk;
    }
    stream.on('data', hear);
    return one;
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const isOver = () => hasEnded() || streams.every(({ text }) => END.test(text));
  return {
    isOver,
    /** What is still in the pipes of a process that has ended is read. */
    async over() {
      while (!isOver()) await Promise.race([closed, sleep(POLL_MILLIS)]);
      if (hasEnded()) await closed;
      for (const { stream, hear } of streams) stream.off('data', hear);
    },
    exitCode: () => (hasEnded() ? child.exitCode : Number(END.exec(printed)?.[1])),
    address: () => [...printed.matchAll(ADDRESS)][0]?.[1],
    output: () => printed.replace(ADDRESS, '').replaceAll(new RegExp(END, 'g'), ''),
  };
}

/**
 * @param {ReturnType<typeof startProcess>} process
 * @param {() => void} end
 */
async function follow(process, end) {
  const heard = listenTo(process);
  const { isOver, address, output } = heard;
  const deadline = Date.now() + MAX_START_MILLIS;
  while (!isOver() && address() === undefined && Date.now() < deadline)
    await Promise.race([process.closed, sleep(POLL_MILLIS)]);
  const listens = !isOver() && address() !== undefined;
  if (isOver()) await heard.over();
  /** Null if it had not ended by itself. */
  const exitCode = isOver() ? heard.exitCode() : null;
  let stopping;
  const stop = () => {
    stopping ??= (async () => {
      if (!isOver()) end();
      // What blocks its process hears of no end.
      const cut = setTimeout(() => process.child.kill('SIGKILL'), MAX_START_MILLIS);
      await heard.over();
      clearTimeout(cut);
    })();
    return stopping;
  };
  return {
    ...{ listens, exitCode, output, stop },
    async prints(pattern) {
      const latest = Date.now() + MAX_LATER_MILLIS;
      while (!pattern.test(output()) && Date.now() < latest) await sleep(POLL_MILLIS);
      match(output(), pattern);
      return output();
    },
    async printed() {
      await stop();
      return output();
    },
    ...createAsk(`http://${address()}`),
  };
}

/**
 * Starts an application in a process of its own.
 * @param {string} folder of the project
 * @param {string} command a file of it, and arguments
 */
export function startApplication(folder, command) {
  const started = startProcess(folder, ['--import', listening, ...command.split(' ')]);
  return follow(started, () => process.kill(-started.child.pid, 'SIGKILL'));
}

/**
 * Starts applications one after the other in a process that they share.
 * @param {string} folder of the project
 */
export function createHost(folder) {
  let shared = null;
  const isGone = () => shared === null || shared.child.exitCode !== null || shared.child.signalCode !== null;
  return {
    /** @param {string} command a file of the project, and arguments */
    start(command) {
      if (isGone()) shared = startProcess(folder, [host], 'ipc');
      const { child } = shared;
      const started = follow(shared, () => child.send(null));
      child.send(command.split(' '));
      return started;
    },
    async stop() {
      if (isGone()) return;
      process.kill(-shared.child.pid, 'SIGKILL');
      await shared.closed;
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
