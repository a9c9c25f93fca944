import { describe, expect, it } from 'vitest';
import { listenFault } from '../../src/http/listen-fault.js';
import { pathFault } from '../../src/storage/path-fault.js';

const failed = (code: string) => Object.assign(new Error(`failed: ${code}`), { code });

// Root may listen on every port and write to every folder, so that no test as root sees these errors for real.
describe('errors of the operating system that refuse a start', () => {
  const listening = (code: string, host = '::1') =>
    listenFault(failed(code), { host, port: 80, settings: { host: 'host', port: 'port' } });

  it.each([
    ['EACCES', 'SERVICE_PORT: the user of this process may not listen on port 80 (EACCES); set SERVICE_PORT to a port'],
    ['EAFNOSUPPORT', 'SERVICE_HOST: ::1 is not an address of this machine (EAFNOSUPPORT); set SERVICE_HOST to one'],
    ['EAI_AGAIN', 'SERVICE_HOST: the name ::1 has no address (EAI_AGAIN); set SERVICE_HOST to an address'],
  ])('OPS-12 %s of a listener names the setting and the fix', (code, message) => {
    expect(String(listening(code))).toContain(`ConfigError: ${message}`);
  });

  it.each([
    ['EACCES', 'can not be used by the user of this process (EACCES); give that user the right, or set'],
    ['EPERM', 'can not be used by the user of this process (EPERM); make that user its owner, or set'],
    ['EROFS', 'is on a read-only file system (EROFS); set'],
    ['ENOSPC', 'is on a disk that is full (ENOSPC); free some space, or set'],
  ])('OPS-12 %s of a path names the setting and the fix', (code, message) => {
    const fault = pathFault(failed(code), 'SERVICE_DATA_DIR', '/srv/data');
    expect(String(fault)).toBe(`ConfigError: SERVICE_DATA_DIR: /srv/data ${message} SERVICE_DATA_DIR to another path`);
  });

  it('OPS-12 any other error keeps its message and frames', () => {
    const other = failed('EOTHER');
    expect(listenFault(other, { host: '::1', port: 80, settings: { host: 'host', port: 'port' } })).toBe(other);
    expect([pathFault(other, 'SERVICE_DATA_DIR', '/'), pathFault(null, 'SERVICE_DATA_DIR', '/')]).toEqual([
      other,
      null,
    ]);
  });
});
