import { existsSync } from 'node:fs';
import type { SetupErrorClass } from '../options/index.js';

/** The package that starts the worker. */
export interface WorkerOwner {
  /** The subject of the setup error, such as `createImageRenderer`. */
  readonly subject: string;
  readonly SetupError: SetupErrorClass;
  /** The name of the package, such as `@sallyport/captcha`. */
  readonly packageName: string;
}

/**
 * Returns the file of a worker in the folder of the module that starts it. In a bundle there is none: the module is a
 * part of another file, and with CommonJS as the format it has no address.
 *
 * @param name the name of the file
 * @param moduleUrl `import.meta.url` of the module
 * @throws the package's setup error, with the way that works
 */
export function workerFile(
  name: string,
  moduleUrl: string | undefined,
  { subject, SetupError, packageName }: WorkerOwner,
): URL {
  const file = moduleUrl === undefined ? null : new URL(name, moduleUrl);
  if (file !== null && (file.protocol !== 'file:' || existsSync(file))) return file;
  throw new SetupError(subject, [
    `its thread's file ${name} is not in the folder of this code, as in a bundle, which carries no files of threads. Leave ` +
      `the package out of the bundle, and install it where the bundle runs: --external:${packageName} for esbuild, ` +
      `ssr.external: ['${packageName}'] for Vite, external: ['${packageName}'] for Rollup`,
  ]);
}
