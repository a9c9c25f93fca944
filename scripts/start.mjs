// `pnpm start`: builds what is missing or out of date, then runs the reference server in this process.
// The development profile is this command's default alone; the server itself takes production for granted.
import { build, serverEntry } from './build.mjs';

process.env.SERVICE_PROFILE ??= 'development';
build();
await import(serverEntry.href);
