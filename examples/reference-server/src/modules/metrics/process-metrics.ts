import { readdir } from 'node:fs/promises';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

const NANOS_PER_SECOND = 1e9;

/** How often the delay of the event loop is taken, in milliseconds. */
const RESOLUTION_MILLIS = 10;

/**
 * What every process has, under the names that dashboards know. prom-client has the same, and observers that outlive
 * the server that they were made for.
 *
 * @returns ends the observation
 */
export function registerProcessMetrics(registry: Registry): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS });
  delay.enable();
  registerEventLoopDelay(registry, delay);
  const registers = [registry];
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Time on a processor, of the process and for it.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process began.',
    registers,
    collect() {
      this.set(Math.round(Date.now() / 1000 - process.uptime()));
    },
  });
  const memory = (name: string, help: string, member: keyof NodeJS.MemoryUsage) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(process.memoryUsage()[member]);
      },
    });
  memory('process_resident_memory_bytes', 'Memory that the process has.', 'rss');
  memory('nodejs_heap_size_total_bytes', 'Memory of the heap.', 'heapTotal');
  memory('nodejs_heap_size_used_bytes', 'Memory of the heap that is in use.', 'heapUsed');
  memory('nodejs_external_memory_bytes', 'Memory beside the heap, of buffers and the like.', 'external');
  new Gauge({
    name: 'process_open_fds',
    help: 'Open files and sockets; Linux only.',
    registers,
    async collect() {
      const names = await readdir('/proc/self/fd').catch(() => null);
      // The listing itself is one.
      if (names !== null) this.set(names.length - 1);
    },
  });
  return () => delay.disable();
}

function registerEventLoopDelay(registry: Registry, delay: IntervalHistogram): void {
  const quantiles = { '0.5': 50, '0.9': 90, '0.99': 99, '1': 100 };
  new Gauge({
    name: 'nodejs_eventloop_delay_seconds',
    help: 'How late the event loop was since the last look, by quantile.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      for (const [quantile, percentile] of Object.entries(quantiles)) {
        // What the clock itself waits is no delay.
        const late = delay.percentile(percentile) / NANOS_PER_SECOND - RESOLUTION_MILLIS / 1000;
        this.set({ quantile }, Math.max(0, late));
      }
      delay.reset();
    },
  });
}
