import type { SpanExporter } from '@opentelemetry/sdk-trace-node';

/** Prints a line for each span: its trace, its duration and its name. */
export const lineExporter: SpanExporter = {
  export(spans, done) {
    for (const span of spans) {
      const [seconds, nanos] = span.duration;
      const millis = (seconds * 1e3 + nanos / 1e6).toFixed(2).padStart(8);
      const indent = span.parentSpanContext === undefined ? '' : '  ';
      console.log(`${span.spanContext().traceId.slice(0, 8)} ${millis} ms  ${indent}${span.name}`);
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};
