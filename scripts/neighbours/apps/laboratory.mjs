// Starts an application with a package and a neighbour, asks it, and says what came of it.
import assert from 'node:assert/strict';

/** What the operation answers. Wherever it is read, the operation has run, and its answer has left. */
export const PAID = 'paid 12.50';

/** The protection was off, or the answer says nothing. The command fails. */
export class SilentError extends Error {}

/** A code of a package. Those of Node.js and of Fastify say that something broke. */
export const isOwnCode = (code) => /^(?!ERR_|FST_|MODULE_)[A-Z]+(?:_[A-Z]+)+$/.test(code ?? '');

/** @param {{ neighbour: object, stores: object }} given */
export function createLaboratory({ neighbour, stores }) {
  const log = [];
  const opened = [];

  /** An application with the operation. `run` is what the package wants to happen in it. */
  async function serve({ config = {}, register, routes = () => {}, run = async () => PAID }) {
    const app = neighbour.create({ logger: { level: 'info', stream: { write: (line) => log.push(line) } } });
    opened.push(app);
    const server = { app, runs: 0 };
    await neighbour.before?.(app, config);
    await register(app);
    await neighbour.mount(app, {
      config,
      async run(request) {
        server.runs += 1;
        return run(request, app);
      },
    });
    await routes(app);
    await app.listen({ host: '127.0.0.1', port: 0 });
    const base = `http://127.0.0.1:${app.server.address().port}`;
    const byNeighbour = neighbour.fetch ?? fetch;
    const { method, path, body } = neighbour.request;
    const json = { 'content-type': 'application/json' };
    const init = { method, ...(body && { body: JSON.stringify(body), headers: json }) };
    return Object.assign(server, {
      base,
      path,
      init,
      fetch: byNeighbour,
      ask: (headers = {}) => server.send(path, { ...init, headers: { ...init.headers, ...headers } }),
      send: async (target, options) => answerOf(await byNeighbour(base + target, options)),
    });
  }

  return {
    log,
    stores,
    serve,
    async close() {
      for (const app of opened.splice(0)) await app.close();
    },
  };
}

/** @param {Response} response */
export async function answerOf(response) {
  const text = await response.text();
  return { status: response.status, text, code: codeIn(text) };
}

/** The code of a refusal, as the bodies of errors have it, those of GraphQL and WebSockets too. */
const codeIn = (text) =>
  /"code":"([A-Z]+(?:_[A-Z]+)+)"|closed: 1011 ([A-Z_]+)/.exec(text)?.slice(1).find(Boolean) ?? null;

/** The payment was refused before it ran, and the answer says why. */
export function expectRefusal(server, answer, code) {
  assert.equal(server.runs, 0, `the operation ran, and ${code} was due: ${answer.status} ${answer.text}`);
  assert.equal(answer.code, code, `${answer.status} ${answer.text}`);
}

/** What came of a call that is entitled to an answer: it has it, or it is told why not. */
export function outcomeOf(answer, isAnswer = (text) => text.includes(PAID)) {
  if (isAnswer(answer.text)) return 'holds';
  if (isOwnCode(answer.code)) return `refuses with ${answer.code}`;
  throw new SilentError(`neither the answer nor a code: ${answer.status} ${answer.text}`);
}
