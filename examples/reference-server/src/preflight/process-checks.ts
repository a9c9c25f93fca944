import { settingCheck } from './preflight-check.js';

/** The first release of Node that the server runs on, and the last one that it was tried with. */
const OLDEST_NODE = [20, 19] as const;
const NEWEST_NODE = 26;

/** After these days a release gets no security fixes: the schedule of nodejs/Release. */
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
      const finding = `Node ${nodeVersion} is older than ${OLDEST_NODE.join('.')}, the oldest that this runs on`;
      yield { id: 'node.too-old', severity: 'error', finding, fix };
    } else if (major > NEWEST_NODE) {
      const finding = `Node ${nodeVersion} is newer than ${NEWEST_NODE}, the newest that this was tried with`;
      yield { id: 'node.untried', severity: 'warning', finding, fix: 'run the tests with it, or take an earlier one' };
    }
    const end = END_OF_LIFE[major];
    if (end !== undefined && now() > Date.parse(end)) {
      const finding = `Node ${major} gets no security fixes since ${end}`;
      yield { id: 'node.end-of-life', severity: 'warning', finding, fix };
    }
  },
});

/** Flags that open the process to others, or take a protection away. */
const FLAGS = [
  { flag: /^--inspect(?!-port|-publish)/, id: 'process.inspector', what: 'lets a debugger in, which sees every key' },
  {
    flag: /^--insecure-http-parser$/,
    id: 'process.http-parser',
    what: 'lets requests through that a proxy reads in another way',
  },
  { flag: /^--tls-keylog/, id: 'process.tls-keys', what: 'writes down the keys of every TLS connection' },
  { flag: /^--tls-min-v1\.[01]$/, id: 'process.tls-version', what: 'allows versions of TLS that are broken' },
] as const;

/** Variables that Node or a library reads, and that take a protection away. */
const VARIABLES = [
  {
    name: 'NODE_TLS_REJECT_UNAUTHORIZED',
    isOn: (value: string) => value === '0',
    id: 'process.tls-unverified',
    severity: 'error',
    what: 'is 0: no certificate of a database, gateway or storage is checked',
  },
  {
    name: 'NODE_DEBUG',
    isOn: (value: string) => value !== '',
    id: 'process.debug-output',
    severity: 'error',
    what: 'is set: Node prints headers, and with them tokens',
  },
  {
    name: 'DEBUG',
    isOn: (value: string) => value !== '',
    id: 'process.debug-output',
    severity: 'warning',
    what: 'is set: libraries print what they send to the stores',
  },
  {
    name: 'NODE_ENV',
    isOn: (value: string) => value !== '' && value !== 'production',
    id: 'process.node-env',
    severity: 'warning',
    what: 'is not production: libraries that look at it behave as in development (this server does not)',
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
      const finding = 'the inspector of this process is open: a debugger sees every key';
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
        finding: 'the server runs as root: whoever gets into it has the machine',
        fix: 'run it as a user of its own that owns nothing but the data folder',
      };
    }
  },
});

export const logging = settingCheck({
  id: 'logging',
  reads: ['log-level', 'audit.checkpoint-file'],
  *run({ config }) {
    const level = config['log-level'];
    if (level === 'debug') {
      yield {
        id: 'logging.debug',
        severity: 'warning',
        finding: 'SERVICE_LOG_LEVEL is debug',
        fix: 'set info, unless you are looking for something',
      };
    }
    if (level === 'info' || level === 'debug') return;
    if (config['audit.checkpoint-file'] === null) {
      yield {
        id: 'logging.no-checkpoints',
        severity: 'error',
        finding: `SERVICE_LOG_LEVEL is ${level}, and the checkpoints of the audit log are log lines of the level info: there would be none, and the newest records could be cut off unseen`,
        fix: 'set SERVICE_LOG_LEVEL=info, or name a file in SERVICE_AUDIT_CHECKPOINT_FILE',
      };
    }
    yield {
      id: 'logging.quiet',
      severity: 'warning',
      finding: `SERVICE_LOG_LEVEL is ${level}: refused requests and sign-ins leave no line`,
      fix: 'set info',
    };
  },
});
