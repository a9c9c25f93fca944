import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';

const FOLDER = fileURLToPath(new URL('../..', import.meta.url));

// Until the reference server serves the console itself.
export async function serveConsole(service: string): Promise<{ origin: string; close(): Promise<void> }> {
  process.env.NODE_ENV = 'production';
  await build({ root: FOLDER, logLevel: 'error' });
  const paths = ['/admin', '/app', '/auth', '/public', '/encryption', '/idempotency', '/dev', '/actuator'];
  const server = await preview({
    root: FOLDER,
    logLevel: 'error',
    preview: { port: 0, host: '127.0.0.1', proxy: Object.fromEntries(paths.map((path) => [path, service])) },
  });
  const address = server.httpServer.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}
