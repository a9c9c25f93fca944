import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startChild } from '../../../../examples/reference-server/bench/child-process.mjs';
import { requestsFor } from '../../../../examples/reference-server/bench/request-bytes.mjs';
import { compile } from '../compile.mjs';

/**
 * The load generator: `run({ url, headers, bodies, amount, connections })` posts bodies in order, and again from the
 * first one. It resolves to the rate, the 99th percentile in milliseconds and the count of each status.
 *
 * It is a program in C where there is a compiler. A server with a thread uses two cores, and on two cores it loses what
 * the generator uses. A generator on Node.js uses several times as much.
 */
export async function openGenerator() {
  const compiled = compile(new URL('generator.c', import.meta.url));
  return compiled.missing === undefined ? programmed(compiled) : onNode(compiled.missing);
}

function programmed({ program, remove }) {
  return {
    name: 'in C',
    async run({ url, headers, bodies, amount, connections }) {
      const { port } = new URL(url);
      const requestWith = requestsFor(new URL(url), 'POST', headers);
      const running = promisify(execFile)(program, [port, connections, amount].map(String));
      // A program that ends early gives the reason. The broken pipe does not matter.
      running.child.stdin.on('error', () => {});
      running.child.stdin.end(Buffer.concat(bodies.map((body) => withLength(requestWith(body)))));
      const { stdout } = await running;
      return JSON.parse(stdout);
    },
    end: async () => remove(),
  };
}

function withLength(request) {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(request.length);
  return Buffer.concat([length, request]);
}

async function onNode(why) {
  const child = await startChild(
    new URL('../../../../examples/reference-server/bench/busy-load.mjs', import.meta.url).href,
  );
  return {
    name: `on Node (none in C: ${why})`,
    // A generator that never sleeps would take the core of the server's threads.
    run: ({ bodies, ...told }) =>
      child.ask({
        kind: 'run',
        method: 'POST',
        sleeps: true,
        ...(bodies.length === 1 ? { body: bodies[0] } : { bodies }),
        ...told,
      }),
    end: () => child.end(),
  };
}
