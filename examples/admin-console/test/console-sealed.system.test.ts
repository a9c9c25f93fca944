import { describeConsole } from './whole-console.js';

// CON-1, CON-2, CON-3, CON-4 and CON-5.
describeConsole('REQUIRED', 'PostgreSQL');
