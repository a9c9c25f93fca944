// Load generator for servers whose rates are compared. It runs in its own process. Each connection is a plain socket
// that sends the same request again as soon as it is answered.
//
// The process does not sleep. Waking an idle generator costs the server CPU time: on a virtual machine the server's
// `write` pays for it, up to half the cost of a bare answer. A slow server would pay more often than a fast one, which
// would distort the comparison. With `sleeps` the generator does sleep, for servers whose other threads need the second
// core.
//
// With `bodies` each request takes the next body, and the run ends after the last one: an envelope is valid for one
// request. With `isKeyed` each request has its own idempotency key.
import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { answerParent } from './child-process.mjs';
import { requestsFor } from './request-bytes.mjs';

const HEAD_END = '\r\n\r\n';

/** The time limit of a run that is given only an amount. */
const MAX_SECONDS = 60;

answerParent({
  async run({ url, method = 'GET', headers, body, bodies, connections, sleeps = false, isKeyed = false, ...limits }) {
    const { amount = Infinity, duration = MAX_SECONDS } = limits;
    const requestWith = requestsFor(new URL(url), method, headers);
    // Requests are built before the timed run where possible, because the generator's work takes CPU time from the
    // server.
    const requests = bodies === undefined ? [requestWith(body)] : bodies.map(requestWith);
    const nextRequest = isKeyed ? keyed : bodies === undefined ? () => requests[0] : () => requests[asked];
    const most = Math.min(amount, bodies?.length ?? Infinity);
    const statuses = {};
    const millis = [];
    let asked = 0;
    let total = 0;
    let isOver = false;
    const started = performance.now();
    const deadline = setTimeout(() => (isOver = true), duration * 1000);
    const stayAwake = () => isOver || setImmediate(stayAwake);
    if (!sleeps) stayAwake();

    function keyed() {
      const withKey = requestsFor(new URL(url), method, { ...headers, 'idempotency-key': randomUUID() });
      return withKey(body);
    }

    async function keepAsking() {
      const mayAsk = () => !isOver && asked < most;
      let askedAt = 0;
      await exchange(new URL(url), nextRequest, mayAsk, {
        onAsk() {
          asked += 1;
          askedAt = performance.now();
        },
        onAnswer(status) {
          millis.push(performance.now() - askedAt);
          total += 1;
          statuses[status] = (statuses[status] ?? 0) + 1;
        },
      });
    }
    await Promise.all(Array.from({ length: connections }, keepAsking));
    clearTimeout(deadline);
    isOver = true;
    const perSecond = total / ((performance.now() - started) / 1000);
    return { perSecond, total, statuses, p99Millis: Float64Array.from(millis).sort()[Math.floor(total * 0.99)] };
  },
});

/**
 * Sends requests on one connection until the end of the run. Rejects if the server closes it or sends an unreadable
 * answer.
 */
function exchange({ hostname, port }, nextRequest, mayAsk, { onAsk, onAnswer }) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let answer = null;
    const ask = () => {
      if (!mayAsk()) {
        socket.destroy();
        resolve();
        return;
      }
      const request = nextRequest();
      onAsk();
      socket.write(request);
    };
    socket.on('connect', ask);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed a connection')));
    socket.on('data', function readAnswer(chunk) {
      answer = answer === null ? chunk : Buffer.concat([answer, chunk]);
      const headEnd = answer.indexOf(HEAD_END);
      if (headEnd === -1) return;
      const head = answer.latin1Slice(0, headEnd + HEAD_END.length);
      const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
      if (length === undefined) {
        reject(new Error('an answer without content-length'));
        return;
      }
      if (answer.length < head.length + Number(length)) return;
      answer = null;
      onAnswer(head.slice(9, 12));
      ask();
    });
  });
}
