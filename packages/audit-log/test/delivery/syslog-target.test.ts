import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lacks } from '../../../../scripts/test-needs.js';
import { createSyslogTarget, type SyslogTargetOptions, TargetUnavailableError } from '../../src/delivery.js';
import { createTestAuthority, type TestAuthority, type TestCertificate } from './certificates.js';
import { makeDelivered } from './delivered.js';
import { parseFrames, parseMessage } from './rfc5424.js';

/** What the receiver does with a connection. `raw` is the TCP socket below. */
type Receiver = (tls: TLSSocket, raw: Socket) => void;

const records = Array.from({ length: 40 }, (_, index) => makeDelivered({ sequence: index + 1 }));

describe.skipIf(lacks('openssl'))('the syslog target', () => {
  let authority: TestAuthority;
  let other: TestAuthority;
  let certificates: Record<'server' | 'client' | 'stranger', TestCertificate>;
  let server: Server | null = null;

  beforeAll(async () => {
    [authority, other] = [await createTestAuthority(), await createTestAuthority()];
    const [receiver, client, stranger] = [
      await authority.issue('server'),
      await authority.issue('client'),
      await other.issue('client'),
    ];
    certificates = { server: receiver, client, stranger };
  });
  afterAll(async () => {
    await authority.remove();
    await other.remove();
  });
  afterEach(() => {
    server?.close();
    server = null;
  });

  /** A receiver on a raw TCP socket, so that it may end the connection with or without a close_notify. */
  async function receive(receiver: Receiver): Promise<number> {
    const secureContext = createSecureContext({ ...certificates.server, ca: authority.ca });
    const sockets = new Set<Socket>();
    server = createServer({ allowHalfOpen: true }, (raw) => {
      sockets.add(raw);
      raw.on('error', () => {});
      const tls = new TLSSocket(raw, { isServer: true, secureContext, requestCert: true });
      tls.on('error', () => {});
      receiver(tls, raw);
    });
    server.on('close', () => sockets.forEach((socket) => void socket.destroy()));
    return listen(server);
  }

  /** A receiver that demands a client certificate of the authority. With TLS 1.3 it refuses after the handshake. */
  function receiveFromKnown(receiver: (tls: TLSSocket) => void): Promise<number> {
    const demand = { requestCert: true, rejectUnauthorized: true, allowHalfOpen: true };
    server = createTlsServer({ ...certificates.server, ca: authority.ca, ...demand }, receiver);
    return listen(server);
  }

  async function listen(created: Server): Promise<number> {
    created.listen(0, '127.0.0.1');
    await once(created, 'listening');
    return (created.address() as AddressInfo).port;
  }

  const targetOf = (port: number, options: Partial<SyslogTargetOptions> = {}) =>
    createSyslogTarget({
      ...{ host: '127.0.0.1', port, servername: 'server.test', ca: authority.ca, ...certificates.client },
      timeoutMillis: 3000,
      ...options,
    });
  const send = (port: number, options?: Partial<SyslogTargetOptions>, signal = new AbortController().signal) =>
    targetOf(port, options).send(records, signal);
  async function failureOf(sending: Promise<void>): Promise<string> {
    const failure = await sending.then(
      () => null,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(TargetUnavailableError);
    return (failure as Error).message;
  }

  function collect(chunks: Buffer[]): (tls: TLSSocket) => void {
    return (tls) => {
      tls.on('data', (chunk: Buffer) => chunks.push(chunk));
      tls.on('end', () => tls.end());
    };
  }

  it('AUD-13 a batch is a connection of its own, with a client certificate and octet counting', async () => {
    const chunks: Buffer[] = [];
    const names: unknown[] = [];
    const port = await receiveFromKnown((tls) => {
      names.push(tls.authorized, tls.getPeerCertificate().subject.CN, tls.getProtocol());
      collect(chunks)(tls);
    });
    await send(port, { requireCloseNotify: true });
    const messages = parseFrames(Buffer.concat(chunks)).map(parseMessage);
    expect(messages.map(({ parameters }) => Number(parameters.sequence))).toEqual(records.map((each) => each.sequence));
    expect(names).toEqual([true, 'client.test', 'TLSv1.3']);
  });

  it('AUD-13 a receiver that ends only the TCP connection is believed, unless requireCloseNotify is set', async () => {
    const port = await receive((tls, raw) => {
      tls.resume();
      tls.once('end', () => raw.end());
    });
    await send(port);
    expect(await failureOf(send(port, { requireCloseNotify: true }))).toMatch(/without a TLS close_notify$/);
  });

  it('AUD-13 a receiver that ends before it has read everything has taken nothing', async () => {
    // As one that refuses the certificate after the handshake: the end may be on its way before the batch is.
    const atOnce = await receive((tls) => void tls.once('secure', () => tls.end()));
    await failureOf(send(atOnce));
    server?.close();
    const withoutNotify = await receive((tls, raw) => void tls.once('secure', () => raw.end()));
    await failureOf(send(withoutNotify));
    server?.close();
    const late = await receive((tls) => void tls.once('secure', () => setTimeout(() => tls.end(), 200)));
    await failureOf(send(late));
    server?.close();
    const halfway = await receive((tls, raw) => void tls.once('data', () => raw.resetAndDestroy()));
    await failureOf(send(halfway));
  });

  it('AUD-13 a receiver that hangs is given up, in the handshake, while it reads, and at the end', async () => {
    server = createServer(() => {});
    const options = { timeoutMillis: 300 };
    expect(await failureOf(send(await listen(server), options))).toMatch(/no end of .* in 300 ms$/);
    server.close();
    expect(await failureOf(send(await receive((tls) => tls.pause()), options))).toMatch(/in 300 ms$/);
    server.close();
    expect(await failureOf(send(await receive((tls) => void tls.resume()), options))).toMatch(/in 300 ms$/);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    expect(await failureOf(send((server.address() as AddressInfo).port, {}, abort.signal))).toMatch(/given up$/);
  });

  it('AUD-13 sends nothing to a receiver of another name, of another authority, or that is away', async () => {
    const chunks: Buffer[] = [];
    const port = await receive(collect(chunks));
    expect(await failureOf(send(port, { servername: 'other.test' }))).toMatch(/does not match certificate/);
    expect(await failureOf(send(port, { servername: undefined }))).toMatch(/does not match certificate/);
    expect(await failureOf(send(port, { ca: other.ca }))).toMatch(/certificate|issuer/);
    expect(await failureOf(send(port, { ca: undefined }))).toMatch(/certificate|issuer/);
    expect(chunks).toEqual([]);
    server?.close();
    expect(await failureOf(send(1))).toMatch(/ECONNREFUSED/);
  });

  it('AUD-13 a receiver that refuses the client certificate has taken nothing', async () => {
    const chunks: Buffer[] = [];
    const port = await receiveFromKnown(collect(chunks));
    await failureOf(send(port, certificates.stranger));
    await failureOf(send(port, { cert: undefined, key: undefined }));
    expect(chunks).toEqual([]);
  });
});
