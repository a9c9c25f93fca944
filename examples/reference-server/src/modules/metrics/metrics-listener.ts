import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceMetrics } from './service-metrics.js';

export interface MetricsListener {
  /** Such as `http://127.0.0.1:9464`. */
  readonly origin: string;
  close(): Promise<void>;
}

/** Few scrapers connect. The bound also limits connections that stay open without a request. */
const MAX_CONNECTIONS = 16;
const TIMEOUT_MILLIS = 10_000;

/**
 * Serves `GET /metrics` on a separate address, for scrapers that can't sign in. Every client that can reach it may
 * read.
 */
export async function openMetricsListener(
  metrics: Pick<ServiceMetrics, 'read' | 'contentType'>,
  address: { readonly host: string; readonly port: number },
): Promise<MetricsListener> {
  const server = createServer(
    { requestTimeout: TIMEOUT_MILLIS, headersTimeout: TIMEOUT_MILLIS },
    async function answer({ method, url }, response) {
      response.setHeader('x-content-type-options', 'nosniff').setHeader('cache-control', 'no-store');
      if (url !== '/metrics') response.writeHead(404).end();
      else if (method !== 'GET') response.writeHead(405, { allow: 'GET' }).end();
      else {
        const text = await metrics.read().catch(() => null);
        if (text === null) response.writeHead(500).end();
        else response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
      }
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(address);
  // Rejects with the server's error.
  await once(server, 'listening');
  const { address: host, family, port } = server.address() as AddressInfo;
  return {
    origin: `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
