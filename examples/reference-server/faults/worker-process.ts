import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../dist/commands/notification-worker.js', import.meta.url));

/** Notification workers in separate processes, restarted when they exit. */
export interface WorkerCrew {
  /** Kills all workers with SIGKILL. New ones replace them. */
  killAll(): void;
  /** Stops the workers without restarting them. */
  close(): Promise<void>;
}

/** Starts the workers. It needs the build, so start a server first. */
export function startWorkers(environment: Readonly<Record<string, string>>, count: number): WorkerCrew {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_'));
  const env = { ...Object.fromEntries(inherited), SERVICE_LOG_LEVEL: 'error', ...environment };
  let isClosing = false;

  function place() {
    let worker = start();
    async function keep(): Promise<void> {
      while (!isClosing) {
        await once(worker, 'exit');
        if (!isClosing) worker = start();
      }
    }
    const ended = keep();
    return { kill: () => void worker.kill('SIGKILL'), ended };
  }
  const start = () => spawn(process.execPath, [entry], { env, stdio: ['ignore', 'ignore', 'inherit'] });

  const places = Array.from({ length: count }, place);
  const killAll = () => {
    for (const { kill } of places) kill();
  };
  process.once('exit', killAll);
  return {
    killAll,
    async close() {
      isClosing = true;
      killAll();
      await Promise.all(places.map(({ ended }) => ended));
      process.off('exit', killAll);
    },
  };
}
