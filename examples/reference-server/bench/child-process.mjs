import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Starts a script that answers messages. Resolves to `ask`, which sends a message and resolves to its answer, and
 * `end`. The child's standard output is discarded; its standard error is inherited.
 */
export async function startChild(script, execArgv = []) {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), {
    execArgv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${script} ended with ${code}`);
  });
  ended.catch(() => {});
  return {
    async ask(question) {
      const answered = once(child, 'message');
      child.send(question);
      const [answer] = await Promise.race([answered, ended]);
      return answer;
    },
    async end() {
      child.disconnect();
      await ended.catch(() => {});
    },
  };
}

/** The child's side: answers each message with the function for its `kind`, and exits with its parent. */
export function answerParent(answers) {
  process.on('message', async (question) => process.send((await answers[question.kind](question)) ?? null));
  process.once('disconnect', () => process.exit());
}
