import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Starts a script that answers messages, and resolves to `ask`, which sends it one and resolves to its answer, and
 * `end`. Its log goes nowhere, its complaints to ours.
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

/** The other side: answers each message by the function of its `kind`, and ends with its parent. */
export function answerParent(answers) {
  process.on('message', async (question) => process.send((await answers[question.kind](question)) ?? null));
  process.once('disconnect', () => process.exit());
}
