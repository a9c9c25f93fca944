// `pnpm start`: builds what is missing or out of date, then runs the reference server in this process.
// Only this command defaults to the development profile. The server itself defaults to production.
import { build, serverEntry } from './build.mjs';

process.env.SERVICE_PROFILE ??= 'development';
build();
await import(serverEntry.href);
