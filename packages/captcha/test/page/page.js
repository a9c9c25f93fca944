import { solve } from '../../src/client/index.ts';

/** What the test reads. */
function tell(results) {
  document.documentElement.dataset.results = JSON.stringify(results);
}

const question = new URLSearchParams(location.search);

async function run() {
  const { data } = await (await fetch('/captcha')).json();
  const begun = performance.now();
  // Frames that were painted late tell whether the page was responsive.
  let longestFrameMillis = 0;
  let last = begun;
  const frame = (now) => {
    longestFrameMillis = Math.max(longestFrameMillis, now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
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
  const solvingMillis = performance.now() - begun;
  const body = JSON.stringify({ key: data.key, proof });
  const answer = await fetch('/sign-in', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  tell({ status: answer.status, solvingMillis, longestFrameMillis, evaluations });
}

run().catch((error) => tell({ error: String(error) }));
