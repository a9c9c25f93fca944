import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { startChild } from '../../../../examples/reference-server/bench/child-process.mjs';
import { requestsFor } from '../../../../examples/reference-server/bench/request-bytes.mjs';
import { compile } from '../compile.mjs';

/**
 * What loads the servers: `run({ url, headers, bodies, amount, connections })` posts bodies, in their order and again
 * from the first one, and resolves to the rate, the 99th percentile in milliseconds and how often each status came.
 *
 * It is a program in C where there is a compiler. A server with a thread of its own uses two cores, and where there are
 * no more, it goes without whatever the generator takes: one on Node takes several times as much.
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
      // A program that ends early says why; that it took no more requests says nothing.
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
    // The server's threads want the core that a generator that never sleeps would take.
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
