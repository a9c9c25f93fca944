import { connect as connectTcp } from 'node:net';
import { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { startDeadline } from '@sallyport/plugin-kit/deadlines';
import { TargetUnavailableError } from './audit-target.js';

export interface TlsBatchOptions {
  readonly host: string;
  readonly port: number;
  /** CA, client certificate, server name. */
  readonly tls: ConnectionOptions;
  /** The time limit of the whole batch, in milliseconds. */
  readonly timeoutMillis: number;
  readonly requireCloseNotify: boolean;
  /** Whether no batch was delivered before, or the last one failed. */
  readonly isFirst: boolean;
}

/**
 * The time for which the peer must keep the connection open after the last byte was sent, in round trips, and its
 * minimum in milliseconds. With less, jitter could deliver an early end of the peer late.
 */
const SETTLE_ROUND_TRIPS = 3;
const MIN_SETTLE_MILLIS = 20;

/**
 * The same time for the first batch and after a failure, which detects a peer that refuses this side after a delay. A
 * quarter of the timeout at most.
 */
const FIRST_SETTLE_MILLIS = 1000;
const MAX_SETTLE_SHARE = 0.25;

/**
 * The maximum delay between the end of the TCP stream and the end of the TLS stream within this process, in
 * milliseconds.
 */
const CLOSE_NOTIFY_MILLIS = 20;

/**
 * Sends the bytes over a separate TLS connection, and resolves when the peer has read them all.
 *
 * Syslog has no acknowledgement, so the end of the connection is the only sign. This side sends everything, then the
 * end of its stream (`close_notify`, then FIN), and waits for the end of the peer.
 *
 * 1. A peer that closes with unread bytes in its buffer resets the connection instead of ending it. That is a failure.
 * 2. A peer that closes before the bytes reach it, such as one that refuses the client certificate after the handshake,
 *    ends the connection within a round trip. This side ends its stream some round trips after the last byte, and an
 *    end that arrives earlier is a failure.
 * 3. A peer that ends the TLS stream (`close_notify`, as RFC 5425 requires) has read the end of this side's stream.
 *    Without it, an attacker on the network could have ended the connection; `requireCloseNotify` makes that a failure.
 *    rsyslog's driver `gtls` doesn't send it, but its driver `ossl` does.
 *
 * TLS runs over a stream in between, because Node's TLS sockets report both ends as one event.
 *
 * @throws TargetUnavailableError
 */
export function sendTlsBatch(bytes: Buffer, options: TlsBatchOptions, signal: AbortSignal): Promise<void> {
  const { host, port, timeoutMillis, requireCloseNotify, isFirst } = options;
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let roundTripMillis = 0;
    /** This side has ended its stream. */
    let isEnded = false;
    let settled = false;
    const timers: NodeJS.Timeout[] = [];

    const tcp = connectTcp({ host, port, allowHalfOpen: true });
    const wire = new Duplex({
      allowHalfOpen: true,
      read: () => void tcp.resume(),
      write: (chunk, _encoding, done) => void tcp.write(chunk, done),
      final: (done) => void tcp.end(done),
    });
    const tls = connectTls({ ...options.tls, socket: wire, host });
    const cancelDeadline = startDeadline(timeoutMillis, () => fail(`no end of the connection in ${timeoutMillis} ms`));

    function settle(): boolean {
      if (settled) return false;
      settled = true;
      cancelDeadline();
      for (const timer of timers) clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      tls.destroy();
      tcp.destroy();
      return true;
    }
    function fail(what: string, cause?: unknown): void {
      if (settle()) reject(new TargetUnavailableError(`The syslog receiver: ${what}`, {}, cause));
    }
    function failWith(error: Error): void {
      // Node's texts name the address and the fault of a certificate, and nothing secret.
      fail(error.message, error);
    }
    function abort(): void {
      fail('given up');
    }

    tcp.once('connect', () => {
      roundTripMillis = performance.now() - startedAt;
      tcp.setNoDelay();
    });
    tcp.on('data', (chunk: Buffer) => {
      if (!wire.push(chunk)) tcp.pause();
    });
    tcp.once('end', () => {
      if (!isEnded) fail('closed the connection before the end of the batch');
      else if (requireCloseNotify)
        timers.push(setTimeout(() => fail('closed the connection without a TLS close_notify'), CLOSE_NOTIFY_MILLIS));
      else if (settle()) resolve();
    });
    for (const stream of [tcp, wire, tls]) stream.on('error', failWith);
    tls.once('secureConnect', () => {
      tls.write(bytes, () => {
        const least = isFirst ? FIRST_SETTLE_MILLIS : MIN_SETTLE_MILLIS;
        const settleMillis = Math.max(least, SETTLE_ROUND_TRIPS * roundTripMillis);
        const end = () => {
          isEnded = true;
          tls.end();
        };
        timers.push(setTimeout(end, Math.min(settleMillis, MAX_SETTLE_SHARE * timeoutMillis)));
      });
    });
    tls.once('end', () => {
      if (!isEnded) fail('closed the connection before the end of the batch');
      else if (settle()) resolve();
    });
    // Receivers send no data.
    tls.resume();
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
