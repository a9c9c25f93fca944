import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

const DIAGNOSTIC = /^(\S+)\((\d+),\d+\): error (TS\d+: .*)$/;

/**
 * Compiles the files of all cases at once, as a project of `tsc --init` does.
 * @param {string} project
 * @param {string} folder of the files
 * @param {readonly object[]} cases see `doesNotCompile`
 * @returns {[object, { fault: string | null, happens: string }][]}
 */
export function compileCases(project, folder, cases) {
  if (cases.length === 0) return [];
  const compilerOptions = {
    ...{ strict: true, module: 'nodenext', target: 'es2023', types: ['node'] },
    ...{ noEmit: true, skipLibCheck: true },
  };
  const files = cases.map(({ app }) => join(folder, app));
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], {
    cwd: project,
    encoding: 'utf8',
  });
  const diagnostics = diagnosticsOf(stdout);
  return cases.map((one) => {
    const path = join(folder, one.app);
    const ofFile = diagnostics.filter(({ file }) => file === relative(project, path));
    return [one, judge(one, readFileSync(path, 'utf8').split('\n'), ofFile)];
  });
}

/** A message may go on in the lines that follow it. */
function diagnosticsOf(output) {
  const found = [];
  for (const line of output.split('\n')) {
    const [, file, number, message] = DIAGNOSTIC.exec(line) ?? [];
    if (message !== undefined) found.push({ file, line: Number(number), message });
    else if (found.length > 0) found.at(-1).message += ` ${line.trim()}`;
  }
  return found;
}

function judge({ patterns }, lines, diagnostics) {
  const marked = lines.flatMap((text, index) => (text.endsWith('// mistake') ? [index + 1] : []));
  const compiles = marked.filter((number) => !diagnostics.some(({ line }) => line === number));
  const others = diagnostics.filter(({ line }) => !marked.includes(line));
  const mute = patterns.filter((pattern) => !diagnostics.some(({ message }) => pattern.test(message)));
  const faults = [
    ...(marked.length === 0 ? ['no line is marked as the mistake'] : []),
    ...compiles.map((number) => `line ${number} compiles`),
    ...others.map(({ line, message }) => `line ${line}: ${message}`),
    ...mute.map((pattern) => `no message matches ${pattern}:\n${diagnostics.map(({ message }) => message).join('\n')}`),
  ];
  const happens = `does not compile: ${diagnostics[0]?.message.trim() ?? ''}`;
  return { fault: faults.length === 0 ? null : faults.join('\n'), happens };
}
