// Piscina: a task that finds no thread free goes to the end of its queue each time, behind tasks that came later.
import { isMainThread } from 'node:worker_threads';
import { Piscina } from 'piscina';

/** The task of the thread: 5 ms of work. */
export default function work(task) {
  const end = performance.now() + 5;
  while (performance.now() < end);
  return task;
}

const TASKS = 400;
const CALLERS = 32;

/** 32 callers send one task after the other to one thread. Resolves to what the order of service was. */
async function observe(options, isAbortable) {
  const pool = new Piscina({ filename: import.meta.url, minThreads: 1, maxThreads: 1, ...options });
  await pool.run(-1);
  let sent = 0;
  let served = 0;
  let overtakings = 0;
  let longest = 0;
  async function call() {
    while (sent < TASKS) {
      const task = sent++;
      const start = performance.now();
      const signal = isAbortable ? new AbortController().signal : undefined;
      await pool.run(task, { signal });
      longest = Math.max(longest, performance.now() - start);
      if (task < served) overtakings += 1;
      served = Math.max(served, task);
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, call));
  await pool.destroy();
  return `${overtakings} of ${TASKS} tasks were served after a later one; the longest wait was ${longest.toFixed(0)} ms`;
}

for (const stricterFIFO of isMainThread ? [false, true] : []) {
  for (const isAbortable of [false, true]) {
    console.log(
      `stricterFIFO: ${stricterFIFO}, tasks ${isAbortable ? 'with' : 'without'} a signal:`,
      await observe({ stricterFIFO }, isAbortable),
    );
  }
}
