import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { describe, expect, it } from 'vitest';
import { startExample } from '../../../scripts/example-process.js';
import { startTelemetry } from '../src/telemetry.js';

const KEY = 'c56a4180-65aa-42ec-a945-5fd21dec0538';

const placeOrder = (origin: string) =>
  fetch(`${origin}/orders?customer=grace`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': KEY,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    },
    body: JSON.stringify({ item: 'rope' }),
  });

describe('traces', { timeout: 90_000 }, () => {
  it('EXM-1 OPS-8 the example prints a span for each hook and handler; a retry has none of the handler', async () => {
    const example = await startExample('opentelemetry');
    try {
      expect([await placeOrder(example.origin), await placeOrder(example.origin)].map(({ status }) => status)).toEqual([
        201, 409,
      ]);
      // Not the requests that waited for the start.
      const lines = () =>
        example
          .output()
          .split('\n')
          .filter((line) => line.startsWith('0af76519 '));
      const countOf = (name: string) => lines().filter((line) => line.endsWith(` ${name}`)).length;
      await expect.poll(() => countOf('POST /orders')).toBe(2);
      expect([countOf('preHandler - beginIdempotent'), countOf('handler - placeOrder')]).toEqual([2, 1]);
    } finally {
      await example.stop();
    }
  });

  it('OPS-8 spans continue the trace of the client, name the route, and hold no query, key, header or body', async () => {
    const exporter = new InMemorySpanExporter();
    const stop = startTelemetry(new SimpleSpanProcessor(exporter));
    // After the telemetry, as `--import` has it.
    const { createApp } = await import('../src/app.js');
    const app = await createApp();
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    await placeOrder(origin);
    await app.close();
    const spans = exporter.getFinishedSpans();
    await stop();
    expect(spans.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['POST /orders', 'preHandler - beginIdempotent', 'handler - placeOrder']),
    );
    for (const span of spans) expect(span.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    const kept = JSON.stringify(spans.map(({ attributes, events }) => ({ attributes, events })));
    expect(kept).toContain('/orders');
    for (const secret of ['grace', 'rope', KEY]) expect(kept).not.toContain(secret);
  });
});
