import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createMemoryStore } from '@sallyport/ttl-store';
import { describe, expect, it } from 'vitest';
import {
  IdempotencyBodyUnsupportedError,
  IdempotencyDigestMismatchError,
  IdempotencyKeyInvalidError,
  IdempotencyKeyRequiredError,
  IdempotencyOutcomeUnknownError,
  IdempotencyProcessingError,
  IdempotencyStoreUnavailableError,
  IdempotencySubmittedError,
} from '../src/index.js';
import { createGate } from './gate.js';
import { createIdempotentApp, type IdempotentApp, newKey, tally } from './idempotent-app.js';

const start = () => createIdempotentApp({ store: createMemoryStore() });

describe('what a client is told', () => {
  it('IDM-3 ID-01 ID-29 the second of two equal requests is told to refresh and view', async () => {
    const { submit, rows } = await start();
    const key = newKey();
    expect((await submit({ key })).statusCode).toBe(201);
    const second = await submit({ key });
    expect(second.statusCode).toBe(409);
    expect(second.json()).toEqual({
      statusCode: 409,
      code: 'IDEMPOTENCY_SUBMITTED',
      error: 'Conflict',
      message: 'The request was submitted already; refresh and view the result',
    });
    expect(rows).toHaveLength(1);
  });

  it('ID-29 each refusal has a stable code, a word for programs, and Retry-After where waiting helps', () => {
    const told = [
      new IdempotencyKeyRequiredError(),
      new IdempotencyKeyInvalidError(),
      new IdempotencyBodyUnsupportedError(),
      new IdempotencyProcessingError(2),
      new IdempotencySubmittedError(),
      new IdempotencyDigestMismatchError(),
      new IdempotencyOutcomeUnknownError(),
      new IdempotencyStoreUnavailableError(2, new Error('away')),
    ].map((error) => ({ ...error, message: undefined, stack: undefined }));
    const waiting = { retryAfterSeconds: 2, headers: { 'retry-after': '2' } };
    expect(told).toMatchObject([
      { statusCode: 400, code: 'IDEMPOTENCY_KEY_REQUIRED', clientAction: 'send-key' },
      { statusCode: 400, code: 'IDEMPOTENCY_KEY_INVALID', clientAction: 'send-key' },
      { statusCode: 400, code: 'IDEMPOTENCY_BODY_UNSUPPORTED', clientAction: 'correct-request' },
      { statusCode: 409, code: 'IDEMPOTENCY_PROCESSING', clientAction: 'wait-then-retry', ...waiting },
      { statusCode: 409, code: 'IDEMPOTENCY_SUBMITTED', clientAction: 'refresh-and-view' },
      { statusCode: 422, code: 'IDEMPOTENCY_DIGEST_MISMATCH', clientAction: 'new-key' },
      { statusCode: 409, code: 'IDEMPOTENCY_OUTCOME_UNKNOWN', clientAction: 'check-then-new-key' },
      { statusCode: 503, code: 'IDEMPOTENCY_STORE_UNAVAILABLE', clientAction: 'retry-same-key', ...waiting },
    ]);
  });

  it('IDM-3 ID-29 a retry while the first runs has Retry-After', async () => {
    const gate = createGate();
    const options = { store: createMemoryStore(), retryAfterSeconds: 7 };
    const { submit } = await createIdempotentApp(options, (app) => {
      app.post('/slow', { config: { idempotency: true } }, () => gate.pass().then(() => 'done'));
    });
    const submission = { key: newKey(), url: '/slow' };
    const running = submit(submission);
    await gate.arrival();
    const refused = await submit(submission);
    expect(refused.json().code).toBe('IDEMPOTENCY_PROCESSING');
    expect(refused.headers['retry-after']).toBe('7');
    gate.open();
    expect((await running).statusCode).toBe(200);
  });

  it('IDM-1 ID-13 a request without the header is refused if the route requires it, and runs if not', async () => {
    const node = await createIdempotentApp({ store: createMemoryStore() }, (app, rows) => {
      app.post('/notes', { config: { idempotency: { required: false } } }, async (request) => ({
        key: request.idempotency,
        data: rows.push(request.body),
      }));
      app.post('/open', async (request) => ({ key: request.idempotency, data: rows.push(request.body) }));
    });
    const missing = await node.submit();
    expect([missing.statusCode, missing.json().code]).toEqual([400, 'IDEMPOTENCY_KEY_REQUIRED']);
    expect((await node.submit({ url: '/notes' })).json()).toMatchObject({ key: null });
    const key = newKey();
    const noted = { url: '/notes', key };
    expect(tally([await node.submit(noted), await node.submit(noted)])).toEqual({ done: 1, IDEMPOTENCY_SUBMITTED: 1 });
    expect(tally([await node.submit({ url: '/notes', key: 'x' })])).toEqual({ IDEMPOTENCY_KEY_INVALID: 1 });
    // A route that didn't opt in ignores the header.
    const open = { url: '/open', key: 'not a UUID' };
    expect(tally([await node.submit(open), await node.submit(open)])).toEqual({ done: 2 });
    expect(node.rows).toHaveLength(4);
  });
});

describe('IDM-1 a key', () => {
  const uuid = 'C56A4180-65AA-42EC-A945-5FD21DEC0538';

  it('ID-15 is a UUID, and its case does not matter', async () => {
    const { submit, app, rows } = await start();
    const keys = [uuid, uuid.toLowerCase(), 'c56A4180-65aa-42EC-a945-5FD21DEC0538'];
    const answers = [];
    for (const key of keys) answers.push(await submit({ key }));
    expect(tally(answers)).toEqual({ done: 1, IDEMPOTENCY_SUBMITTED: 2 });
    expect(rows).toHaveLength(1);
    expect(await app.idempotency.lookUp('user:ada', uuid)).toHaveLength(1);
  });

  it('ADP-11 ID-15 in quotation marks, as the IETF draft writes it, is the same key', async () => {
    for (const [first, second] of [
      [uuid, `"${uuid}"`],
      [`"${uuid}"`, uuid.toLowerCase()],
    ] as const) {
      const { submit, app, rows } = await createIdempotentApp({ store: createMemoryStore() }, (server) => {
        server.post('/key', { config: { idempotency: true } }, async ({ idempotency }) => idempotency?.key);
      });
      expect(tally([await submit({ key: first }), await submit({ key: second })])).toEqual({
        done: 1,
        IDEMPOTENCY_SUBMITTED: 1,
      });
      expect(rows).toHaveLength(1);
      expect((await submit({ key: first, url: '/key' })).body).toBe(uuid.toLowerCase());
      expect(await app.idempotency.lookUp('user:ada', `"${uuid}"`)).toHaveLength(2);
    }
  });

  it.each([
    ['empty', ''],
    ['one character', 'a'],
    ['of 10 kB', 'a'.repeat(10_240)],
    ['no UUID', 'order-12345'],
    ['with a colon', 'r:c56a4180-65aa-42ec-a945-5fd21dec053'],
    ['with a tail', `${uuid}0`],
    ['without hyphens', uuid.replaceAll('-', '')],
    ['in braces', `{${uuid}}`],
    ['in one quotation mark', `"${uuid}`],
    ['with a quotation mark behind it', `${uuid}"`],
    ['in two pairs of quotation marks', `""${uuid}""`],
    ['in apostrophes', `'${uuid}'`],
    ['in typographic quotation marks', `\u201c${uuid}\u201d`],
    ['in quotation marks with white space', `" ${uuid}"`],
    ['in escaped quotation marks', `"\\"${uuid}\\""`],
    ['in quotation marks with parameters', `"${uuid}";a=b`],
    ['empty in quotation marks', '""'],
    ['twice in quotation marks', `"${uuid}", "${uuid}"`],
    ['a URN', `urn:uuid:${uuid}`],
    ['twice in one line', `${uuid}, ${uuid}`],
    ['with parameters', `${uuid};a=b`],
    ['with digits of another script', uuid.replace('0', '\u0660')],
  ])('ID-14 ID-15 that is %s is refused, and nothing runs', async (_what, key) => {
    const { submit, rows } = await start();
    expect(tally([await submit({ key })])).toEqual({ IDEMPOTENCY_KEY_INVALID: 1 });
    expect(rows).toEqual([]);
  });

  /** Sends bytes that `inject` would not send. */
  async function sendLines(node: IdempotentApp, lines: readonly string[]): Promise<string> {
    if (!node.app.server.listening) await node.app.listen({ host: '127.0.0.1', port: 0 });
    const socket = connect((node.app.server.address() as AddressInfo).port, '127.0.0.1').setEncoding('utf8');
    const head = ['POST /payments HTTP/1.1', 'Host: x', 'X-User: ada', 'Connection: close', ...lines];
    socket.write(`${head.join('\r\n')}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`);
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    await once(socket, 'close');
    return answer;
  }

  it('ID-14 ID-15 is refused on two lines or with a line break; surrounding white space is ignored', async () => {
    const node = await start();
    const lines = [`Idempotency-Key: ${uuid}`, `idempotency-key: ${uuid}`];
    expect(await sendLines(node, lines)).toMatch(/^HTTP\/1.1 400 [\s\S]*IDEMPOTENCY_KEY_INVALID/);
    expect(await sendLines(node, [lines[0] as string, `Idempotency-Key: ${newKey()}`])).toMatch(
      /IDEMPOTENCY_KEY_INVALID/,
    );
    expect(await sendLines(node, [`Idempotency-Key: ${uuid}\n ${uuid}`])).toMatch(/^HTTP\/1.1 400 /);
    expect(node.rows).toEqual([]);
    expect(await sendLines(node, [`Idempotency-Key:  ${uuid}  `])).toMatch(/^HTTP\/1.1 201 /);
    expect(await sendLines(node, [lines[0] as string])).toMatch(/IDEMPOTENCY_SUBMITTED/);
  });
});
