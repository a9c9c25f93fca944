import { defineModule } from '../../http/module.js';
import { consoleRoutes } from './routes.js';

export { CONSOLE_PATH, findConsoleFolder, isConsoleBuilt, isConsoleEnabled } from './console-folder.js';

export const adminConsole = defineModule({ name: 'console', routes: consoleRoutes });
