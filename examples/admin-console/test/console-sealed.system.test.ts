import { describeConsole } from './whole-console.js';

// CON-1, CON-2, CON-3, CON-4, CON-5, CON-8, CON-9 and CON-10.
describeConsole('REQUIRED', 'PostgreSQL');
