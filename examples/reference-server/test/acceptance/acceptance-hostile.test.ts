import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runAcceptanceCommand } from '../../acceptance/acceptance-command.js';
import { commandReader } from '../../acceptance/captcha-readers.js';

/** Clears the screen, and sets the title of the terminal's window. */
const ESCAPES = '\u001b[2J\u001b]0;owned\u0007\u009b1A';

const OFF = { data: { mode: 'OFF', serverTime: 1 } };

interface Said {
  readonly status: number;
  readonly body: unknown;
}

// A deployment that attacks the acceptance command.
describe('the acceptance command against a hostile deployment', { timeout: 60_000 }, () => {
  let server: Server | null = null;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = null;
  });

  async function run(answer: (request: string) => Said, argv: readonly string[] = []) {
    const asked: string[] = [];
    const hostile = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const { status, body } = answer(`${request.method} ${request.url}`);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    return { ...(await judge(hostile, argv)), asked };
  }

  /** What the command says of a deployment. */
  async function judge(hostile: Server, argv: readonly string[] = []) {
    server = hostile;
    await once(hostile.listen(0, '127.0.0.1'), 'listening');
    let shown = '';
    const write = (text: string) => {
      shown += text;
    };
    const status = await runAcceptanceCommand({
      argv: ['--url', `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`, ...argv],
      env: { ACCEPTANCE_TOKEN: 'a.b.c' },
      checks: [],
      ask: async () => null,
      signal: new AbortController().signal,
      write,
      writeError: write,
    });
    return { status, shown };
  }

  /** Control characters that a terminal interprets, except line breaks. */
  const CONTROLS = /[^\P{Cc}\n]/u;

  it('OPS-6 an answer without end is read to its bound, and no further', async () => {
    let sent = 0;
    const endless = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const send = () => {
        while (!response.destroyed && sent < 256) {
          sent += 1;
          if (!response.write(chunk)) return;
        }
      };
      response.on('drain', send);
      send();
    });
    const { status, shown } = await judge(endless);
    expect(status).toBe(2);
    expect(shown).toContain('longer than 16777216 bytes');
    expect(sent).toBeLessThan(64);
  });

  it('OPS-6 control characters in its answers do not reach the terminal in the refusal to run', async () => {
    const { status, shown } = await run((request) => {
      return request.endsWith('/public-key') ? { status: 200, body: OFF } : { status: 401, body: { code: ESCAPES } };
    });
    expect(status).toBe(2);
    expect(shown).toContain('the token is not accepted: 401 \\u001b[2J');
    expect(shown).not.toMatch(CONTROLS);
  });

  it('OPS-6 nor in the list of what --clean could not delete, and its ids cannot change the path of a request', async () => {
    const thing = { id: '../../auth/logout?', fileName: `acceptance-0123456789ab-${ESCAPES}` };
    const { status, shown, asked } = await run(
      (request) => {
        if (request.endsWith('/public-key')) return { status: 200, body: OFF };
        if (request.startsWith('DELETE')) return { status: 500, body: { code: ESCAPES } };
        return { status: 200, body: { data: request.includes('/storage/files') ? [thing] : [] } };
      },
      ['--clean'],
    );
    expect(status).toBe(2);
    expect(shown).toContain('Left behind: file acceptance-0123456789ab-\\u001b[2J');
    expect(shown).not.toMatch(CONTROLS);
    expect(asked.filter((request) => request.startsWith('DELETE'))).toEqual([
      'DELETE /admin/storage/files/..%2F..%2Fauth%2Flogout%3F',
    ]);
  });

  it('OPS-6 an excessive Retry-After is not waited for', async () => {
    const { status, shown } = await run(() => ({
      status: 429,
      body: { code: 'RATE_LIMITED', retryAfterSeconds: 1e6 },
    }));
    expect(status).toBe(2);
    expect(shown).toMatch(/^Nothing was checked\. [^\n]*429[^\n]*\n$/);
  });

  it('OPS-6 a captcha program does not receive the token', async () => {
    vi.stubEnv('ACCEPTANCE_TOKEN', 'a.b.c');
    try {
      const read = commandReader(process.execPath, ['-p', 'process.env.ACCEPTANCE_TOKEN ?? "none"']);
      expect(await read({ bytes: Buffer.from('PNG'), extension: 'png', number: 1 })).toBe('none');
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
