// Runs a server under load in its own process.
import { answerParent } from '../child-process.mjs';

let app;

answerParent({
  async start({ server, environment }) {
    const { start } = await import(`./${server}.mjs`);
    const started = await start(environment);
    app = started.app;
    await app.listen({ host: '127.0.0.1', port: 0 });
    return { url: `http://127.0.0.1:${app.server.address().port}`, headers: started.headers };
  },
  cpu() {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  stop: () => app.close(),
});
