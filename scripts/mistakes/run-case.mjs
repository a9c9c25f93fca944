const MAX_SHOWN_LINES = 25;

/**
 * Makes a mistake, and compares what happens with what is expected.
 * @param {object} one see expectations.mjs
 * @param {() => ReturnType<typeof import('./run-application.mjs').startApplication>} start its application
 * @returns {Promise<{ fault: string | null, happens: string }>}
 */
export async function runCase(one, start) {
  const server = await start();
  try {
    return one.kind === 'refused' ? judgeRefusal(one, server) : await judgeService(one, server);
  } finally {
    await server.stop();
  }
}

function judgeRefusal({ patterns }, { listens, exitCode, output }) {
  const printed = output();
  const happens = `refused: ${messageOf(printed)}`;
  if (listens) return { fault: `it serves. It printed:\n${lastLines(printed)}`, happens };
  if (exitCode === null || exitCode === 0) return { fault: `it neither served nor failed (${exitCode})`, happens };
  const missing = patterns.filter((pattern) => !pattern.test(printed));
  if (missing.length === 0) return { fault: null, happens };
  return { fault: `the message lacks ${missing.join(' and ')}:\n${lastLines(printed)}`, happens };
}

async function judgeService({ check, shows, answers500 }, server) {
  const happens = `works: ${shows}${answers500 === undefined ? '' : ` (500: ${answers500})`}`;
  if (!server.listens) return { fault: `it does not serve:\n${lastLines(server.output())}`, happens };
  try {
    await check(server);
  } catch (error) {
    const answers = server.answers.map(({ target, status, text }) => `${target}: ${status} ${text.slice(0, 300)}`);
    return { fault: `${error.message}\n${answers.join('\n')}\n${lastLines(server.output())}`, happens };
  }
  const failed = server.answers.filter(({ status }) => status === 500);
  if (answers500 === undefined && failed.length > 0) return { fault: `500: ${JSON.stringify(failed)}`, happens };
  if (answers500 !== undefined && failed.length === 0) return { fault: 'no 500, though it is noted as one', happens };
  return { fault: null, happens };
}

/** The message of the error that ended the program, without its stack. */
function messageOf(printed) {
  const lines = printed.split('\n');
  const first = lines.findIndex((line) => /^\w*Error\b.*?: /.test(line));
  if (first === -1) return printed.trim();
  const length = lines.slice(first).findIndex((line) => /^\s+at |^\s*$/.test(line));
  const message = lines.slice(first, length === -1 ? undefined : first + length).join(' ');
  return message.replace(/^.*?: /, '').trim();
}

function lastLines(text) {
  return text.trim().split('\n').slice(-MAX_SHOWN_LINES).join('\n');
}
