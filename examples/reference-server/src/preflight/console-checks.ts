import { isConsoleBuilt } from '../modules/console/index.js';
import { settingCheck } from './preflight-check.js';

export const builtConsole = settingCheck({
  id: 'console',
  reads: ['console.enabled'],
  async *run({ config, process: { consoleFolder } }) {
    if (config['console.enabled'] !== true || (await isConsoleBuilt(consoleFolder))) return;
    yield {
      id: 'console.not-built',
      severity: 'error',
      finding: 'SERVICE_CONSOLE_ENABLED is true, and the console is not built: /console/ would answer 503',
      fix: 'build it before the server is packed, or unset SERVICE_CONSOLE_ENABLED',
    };
  },
});
