import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { access, createWatchedStore, openNode, owner, settle } from './open-node.js';
import { closeApps, openApp } from './test-app.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] }));
afterEach(async () => {
  vi.useRealTimers();
  await closeApps();
});

/** A server whose socket routes answer one byte. */
async function openSockets() {
  const lines: string[] = [];
  const logger = { level: 'warn', stream: { write: (line: string) => void lines.push(line) } };
  const app = openApp({ forceCloseConnections: true, logger });
  const node = await openNode(createWatchedStore(), {}, addSockets, app);
  function addSockets() {
    for (const url of ['/silent', '/told', '/late', '/closed', '/answered']) {
      app.get(url, { config: access }, (request, reply) => {
        reply.hijack();
        const { socket } = request.raw;
        if (url === '/told') app.authTokens.onEnd(request, () => socket.end())();
        if (url === '/late') setTimeout(() => app.authTokens.onEnd(request, () => socket.end()), 500);
        if (url === '/answered') return void reply.raw.end('.');
        socket.write('.');
      });
    }
  }
  const { token } = await node.tokens.issue(owner);
  async function open(url: string) {
    const socket = connect(node.port, '127.0.0.1');
    socket.write(`GET ${url} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\n\r\n`);
    await once(socket, 'data');
    return socket;
  }
  return { open, warnings: () => lines.map((line) => JSON.parse(line).msg as string) };
}

describe('a connection that a handler takes over', () => {
  it('TOK-14 is a warning, once for its route, if it stays open and nothing would end it', async () => {
    const { open, warnings } = await openSockets();
    for (const url of ['/silent', '/silent', '/told', '/late', '/answered']) await open(url);
    (await open('/closed')).destroy();
    await settle();
    vi.advanceTimersByTime(1500);
    expect(warnings()).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(warnings()).toEqual([expect.stringContaining('GET /silent has hijacked its connection')]);
    await open('/silent');
    vi.advanceTimersByTime(3000);
    expect(warnings()).toHaveLength(1);
  });
});
