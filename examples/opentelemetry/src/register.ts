import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { lineExporter } from './line-exporter.js';
import { startTelemetry } from './telemetry.js';

// A collector, as OpenTelemetry's own variables name it; else a line for each span.
const hasCollector =
  (process.env.OTEL_EXPORTER_OTLP_ENDPOINT ?? process.env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) != null;
const stop = startTelemetry(
  hasCollector ? new BatchSpanProcessor(new OTLPTraceExporter()) : new SimpleSpanProcessor(lineExporter),
);
process.once('beforeExit', stop);
