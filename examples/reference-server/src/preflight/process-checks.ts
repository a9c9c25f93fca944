import { settingCheck } from './preflight-check.js';

/** The oldest supported release of Node, and the newest tested one. */
const OLDEST_NODE = [20, 19] as const;
const NEWEST_NODE = 26;

/** End of security fixes by release, from the schedule of nodejs/Release. */
const END_OF_LIFE: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
};

export const node = settingCheck({
  id: 'node',
  reads: [],
  *run({ process: { nodeVersion }, now }) {
    const [major = 0, minor = 0] = nodeVersion.replace(/^v/, '').split('.').map(Number);
    const [oldestMajor, oldestMinor] = OLDEST_NODE;
    const fix = 'install the newest release with long-term support';
    if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
      const finding = `Node ${nodeVersion} is older than ${OLDEST_NODE.join('.')}, the oldest supported release`;
      yield { id: 'node.too-old', severity: 'error', finding, fix };
    } else if (major > NEWEST_NODE) {
      const finding = `Node ${nodeVersion} is newer than ${NEWEST_NODE}, the newest tested release`;
      yield {
        id: 'node.untried',
        severity: 'warning',
        finding,
        fix: 'run the tests with it, or use an earlier release',
      };
    }
    const end = END_OF_LIFE[major];
    if (end !== undefined && now() > Date.parse(end)) {
      const finding = `Node ${major} has had no security fixes since ${end}`;
      yield { id: 'node.end-of-life', severity: 'warning', finding, fix };
    }
  },
});

/** Flags that give access to the process, or disable a protection. */
const FLAGS = [
  {
    flag: /^--inspect(?!-port|-publish)/,
    id: 'process.inspector',
    what: 'admits a debugger, which can read every key',
  },
  {
    flag: /^--insecure-http-parser$/,
    id: 'process.http-parser',
    what: 'accepts requests that a proxy may parse differently',
  },
  { flag: /^--tls-keylog/, id: 'process.tls-keys', what: 'writes the keys of every TLS connection to a file' },
  { flag: /^--tls-min-v1\.[01]$/, id: 'process.tls-version', what: 'allows insecure versions of TLS' },
] as const;

/** Variables of Node or a library that disable a protection. */
const VARIABLES = [
  {
    name: 'NODE_TLS_REJECT_UNAUTHORIZED',
    isOn: (value: string) => value === '0',
    id: 'process.tls-unverified',
    severity: 'error',
    what: 'is 0: the certificates of database, gateway and storage are not verified',
  },
  {
    name: 'NODE_DEBUG',
    isOn: (value: string) => value !== '',
    id: 'process.debug-output',
    severity: 'error',
    what: 'is set: Node prints headers, including tokens',
  },
  {
    name: 'DEBUG',
    isOn: (value: string) => value !== '',
    id: 'process.debug-output',
    severity: 'warning',
    what: 'is set: libraries print the data that they send to the stores',
  },
  {
    name: 'NODE_ENV',
    isOn: (value: string) => value !== '' && value !== 'production',
    id: 'process.node-env',
    severity: 'warning',
    what: 'is not production: libraries that read it behave as in development (this server does not read it)',
  },
] as const;

export const processState = settingCheck({
  id: 'process',
  reads: [],
  *run({ process: { flags, environment, isInspected, userId } }) {
    for (const { flag, id, what } of FLAGS) {
      const given = flags.find((each) => flag.test(each))?.split('=')[0];
      if (given === undefined) continue;
      yield { id, severity: 'error', finding: `Node runs with ${given}, which ${what}`, fix: 'start it without' };
    }
    if (isInspected && !flags.some((flag) => FLAGS[0].flag.test(flag))) {
      const finding = 'the inspector of this process is open: a debugger can read every key';
      yield { id: 'process.inspector', severity: 'error', finding, fix: 'start it without' };
    }
    for (const { name, isOn, id, severity, what } of VARIABLES) {
      const value = environment[name];
      if (value === undefined || !isOn(value)) continue;
      yield { id, severity, finding: `${name} ${what}`, fix: `unset ${name}` };
    }
    if (userId === 0) {
      yield {
        id: 'process.root',
        severity: 'warning',
        finding: 'the server runs as root: an attacker who compromises it controls the machine',
        fix: 'run it as a separate user that owns nothing but the data folder',
      };
    }
  },
});

export const logging = settingCheck({
  id: 'logging',
  reads: ['log-level', 'audit.checkpoint-file', 'audit.checkpoint-log'],
  *run({ config }) {
    const level = config['log-level'];
    if (level === 'debug') {
      yield {
        id: 'logging.debug',
        severity: 'warning',
        finding: 'SERVICE_LOG_LEVEL is debug',
        fix: 'set info, unless you are investigating a problem',
      };
    }
    if (level === 'info' || level === 'debug') return;
    if (config['audit.checkpoint-file'] === null || config['audit.checkpoint-log']) {
      yield {
        id: 'logging.no-checkpoints',
        severity: 'error',
        finding: `SERVICE_LOG_LEVEL is ${level}, and checkpoints of the audit log are log lines of the level info: none would be written there`,
        fix: 'set SERVICE_LOG_LEVEL=info, or unset SERVICE_AUDIT_CHECKPOINT_LOG',
      };
    }
    yield {
      id: 'logging.quiet',
      severity: 'warning',
      finding: `SERVICE_LOG_LEVEL is ${level}: refused requests and sign-ins are not logged`,
      fix: 'set info',
    };
  },
});
