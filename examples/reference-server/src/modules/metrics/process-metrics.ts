import { readdir } from 'node:fs/promises';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

const NANOS_PER_SECOND = 1e9;

/** Sampling interval of the event-loop delay, in milliseconds. */
const RESOLUTION_MILLIS = 10;

/**
 * Registers the metrics of the process under their usual names. The collectors of prom-client are not used, because
 * their observers outlive the server.
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
    help: 'User and system CPU time.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process.',
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
  memory('process_resident_memory_bytes', 'Resident memory size.', 'rss');
  memory('nodejs_heap_size_total_bytes', 'Heap size.', 'heapTotal');
  memory('nodejs_heap_size_used_bytes', 'Used heap size.', 'heapUsed');
  memory('nodejs_external_memory_bytes', 'Memory outside the heap, such as buffers.', 'external');
  new Gauge({
    name: 'process_open_fds',
    help: 'Open files and sockets; Linux only.',
    registers,
    async collect() {
      const names = await readdir('/proc/self/fd').catch(() => null);
      // Exclude the descriptor of this listing.
      if (names !== null) this.set(names.length - 1);
    },
  });
  return () => delay.disable();
}

function registerEventLoopDelay(registry: Registry, delay: IntervalHistogram): void {
  const quantiles = { '0.5': 50, '0.9': 90, '0.99': 99, '1': 100 };
  new Gauge({
    name: 'nodejs_eventloop_delay_seconds',
    help: 'Event-loop delay since the last scrape, by quantile.',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      for (const [quantile, percentile] of Object.entries(quantiles)) {
        // Subtract the sampling interval itself.
        const late = delay.percentile(percentile) / NANOS_PER_SECOND - RESOLUTION_MILLIS / 1000;
        this.set({ quantile }, Math.max(0, late));
      }
      delay.reset();
    },
  });
}
