import { solve } from '../../src/client/index.ts';

/** What the test reads. */
function tell(results) {
  document.documentElement.dataset.results = JSON.stringify(results);
}

const question = new URLSearchParams(location.search);

async function run() {
  const { data } = await (await fetch('/captcha')).json();
  // A page that can run its own tasks while it solves is responsive, however slow the machine is.
  let turns = 0;
  const turn = setInterval(() => {
    turns += 1;
  }, 1);
  let evaluations = 0;
  const controller = new AbortController();
  const options = {
    signal: controller.signal,
    onProgress: (progress) => {
      evaluations = progress.evaluations;
      if (question.has('abort')) controller.abort(new Error('the page was left'));
    },
    ...(question.has('without-worker') && { worker: null }),
  };
  const proof = await solve(data, options);
  clearInterval(turn);
  const body = JSON.stringify({ key: data.key, proof });
  const answer = await fetch('/sign-in', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  tell({ status: answer.status, turns, evaluations });
}

run().catch((error) => tell({ error: String(error) }));
