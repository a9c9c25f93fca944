import { FastifyOtelInstrumentation } from '@fastify/otel';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { NodeTracerProvider, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace-node';

/** The attributes of addresses, by the present and the former conventions. */
const ADDRESSES = ['url.path', 'url.full', 'http.target', 'http.url'] as const;

/**
 * Takes query strings out of spans. They hold names and numbers, and in mode OPTIONAL an envelope that a client has
 * still to send: no trace needs them, and its store is read by more people than the audit log.
 */
const withoutQueries: SpanProcessor = {
  onStart() {},
  onEnd({ attributes }: ReadableSpan) {
    delete attributes['url.query'];
    for (const name of ADDRESSES) {
      const address = attributes[name];
      if (typeof address === 'string') attributes[name] = address.split('?', 1)[0];
    }
  },
  forceFlush: async () => {},
  shutdown: async () => {},
};

/**
 * Traces HTTP requests and Fastify's hooks and handlers. Call it before Fastify is imported.
 *
 * @returns writes what is left, and ends
 */
export function startTelemetry(exporting: SpanProcessor): () => Promise<void> {
  // The order counts: what exports comes after what cleans.
  const tracerProvider = new NodeTracerProvider({ spanProcessors: [withoutQueries, exporting] });
  tracerProvider.register();
  registerInstrumentations({
    tracerProvider,
    instrumentations: [new HttpInstrumentation(), new FastifyOtelInstrumentation({ registerOnInitialization: true })],
  });
  return () => tracerProvider.shutdown();
}
