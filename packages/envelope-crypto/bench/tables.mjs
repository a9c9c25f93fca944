/** Microseconds with three significant digits. */
function inMicroseconds(value) {
  return value >= 1000
    ? `${Math.round(value / 10) * 10}`
    : value >= 100
      ? `${Math.round(value)}`
      : value.toPrecision(3);
}

/** The ratio to the kernel's time. Empty for the kernel, and without one. */
function timesKernel(value, kernel) {
  if (kernel === undefined || value === kernel) return '';
  const ratio = value / kernel;
  return ` (×${ratio >= 10 ? Math.round(ratio) : ratio.toFixed(1)})`;
}

export function operationLine(operation, microseconds) {
  const cells = Object.entries(microseconds).map(
    ([name, value]) => `${name} ${inMicroseconds(value)}${timesKernel(value, microseconds.kernel)}`,
  );
  return `  ${operation}: ${cells.join(', ')}`;
}

export function pipelineLine({ name, requestsPerSecond, micros, ofBare, ofBareByTime, p99Millis }) {
  const ratios = `${ofBare.toFixed(3)} of bare Fastify by rate, ${ofBareByTime.toFixed(3)} by processor time`;
  return `  ${name}: ${requestsPerSecond} a second, ${micros} µs each, ${ratios}, p99 ${p99Millis} ms`;
}

/** The tables of one kept run in the reference, as Markdown. */
export function resultsAsMarkdown({
  machine,
  node,
  measuredAt,
  contenders,
  operations,
  generator,
  pipeline,
  eventLoop,
}) {
  const names = Object.keys(contenders);
  const versions = names.map((name) => `${name}: ${contenders[name]}`).join('; ');
  return [
    `Measured on ${measuredAt.slice(0, 10)}: ${machine.cpu}, ${machine.cores} cores, Node ${node}. ${versions}.`,
    '',
    'Microseconds of processor time, and in brackets the ratio to the kernel:',
    '',
    ...table(
      ['', ...names],
      operations.map(({ operation, microseconds }) => [
        operation,
        ...names.map((name) => {
          const value = microseconds[name];
          return value === undefined ? '–' : `${inMicroseconds(value)}${timesKernel(value, microseconds.kernel)}`;
        }),
      ]),
    ),
    '',
    "Requests per second, and the server's processor time for each: POST of 0.9 KiB with an answer of the same size, one " +
      `process, sent by a generator ${generator}, medians of the rounds:`,
    '',
    ...table(
      ['', 'requests a second', 'of bare Fastify', 'µs', 'of bare Fastify', 'p99, ms'],
      pipeline.map(({ name, requestsPerSecond, micros, ofBare, ofBareByTime, p99Millis }) => [
        name,
        String(requestsPerSecond),
        ofBare.toFixed(2),
        String(micros),
        ofBareByTime.toFixed(2),
        String(p99Millis),
      ]),
    ),
    '',
    'The longest turn of the event loop while one envelope is served, and of an idle one in the same time, in ' +
      'milliseconds:',
    '',
    ...table(
      ['', 'median', 'p95', 'idle, p95'],
      eventLoop.map(({ backend, name, heldMillis, idleMillis }) => [
        `${name}, ${backend}`,
        heldMillis.median.toFixed(2),
        heldMillis.p95.toFixed(2),
        idleMillis.p95.toFixed(2),
      ]),
    ),
  ].join('\n');
}

function table(head, rows) {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(3, ...lines.map((cells) => cells[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}
