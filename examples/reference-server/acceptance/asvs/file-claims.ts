import type { AsvsClaim } from './claim.js';
import { SERVER, UPLOADS } from './places.js';

/** V5 File Handling. */
export const fileClaims: readonly AsvsClaim[] = [
  {
    id: 'V5.1.1',
    level: 2,
    subject: 'The documents name the types, endings and sizes of uploads, and what a refused file leads to',
    status: 'tested',
    tests: [
      `${UPLOADS}/readme.test.ts: UPL-1 states every default of the policy`,
      `${UPLOADS}/readme.test.ts: UPL-3 UPL-4 ADP-10 names every reason`,
    ],
  },
  {
    id: 'V5.2.1',
    level: 1,
    subject: 'Files are accepted up to a size that the service can process',
    status: 'tested',
    tests: [
      `${UPLOADS}/receive.test.ts: UPL-2 UP-03 S-C1 S-C2 accepts the exact limit`,
      `${SERVER}/modules/files/upload-processes.alone.system.test.ts: UP-20 PRF-7 50 parallel uploads of 5 MB`,
    ],
    seenBy: ['uploads.size'],
  },
  {
    id: 'V5.2.2',
    level: 1,
    subject: 'The ending of a file, in an archive too, is allowed, and its content fits it',
    status: 'deviation',
    why: 'The entries of a plain archive are bounded, but not judged by their types: nothing here unpacks them.',
    instead:
      'Every file itself, Office files with their parts included, must have an allowed ending and a content that ' +
      'fits it. To refuse archives, leave them out of admin.storage.upload.allowed-extensions.',
    tests: [
      `${UPLOADS}/corpus.test.ts: UP-01 UPL-3 UPL-4`,
      `${SERVER}/modules/files/uploaded-corpus.system.test.ts: UP-01 UP-07 UPL-3 UPL-7`,
    ],
    seenBy: ['uploads.contents#types'],
  },
  {
    id: 'V5.2.3',
    level: 2,
    subject: 'Archives are bounded in entries and unpacked size before anything unpacks them',
    status: 'tested',
    tests: [
      `${UPLOADS}/archives.system.test.ts: UPL-4 are refused by their declared sizes`,
      `${UPLOADS}/archives.system.test.ts: UPL-4 are refused at one entry over the limit`,
      `${UPLOADS}/bounds.test.ts: UPL-4 a bomb costs reading its directory`,
    ],
    seenBy: ['uploads.contents#archives'],
  },
  {
    id: 'V5.3.1',
    level: 1,
    subject: 'The server never runs a file that was uploaded',
    status: 'tested',
    tests: [
      `${SERVER}/modules/files/served-files.system.test.ts: UPL-7 UP-07 served content cannot be executed`,
      `${SERVER}/modules/files/stored-files.system.test.ts: UP-19 UPL-7 two uploads with the same name are two files`,
    ],
    seenBy: ['uploads.contents#serving'],
    note: 'The folder of the files is no web root. Do not let the proxy serve it.',
  },
  {
    id: 'V5.3.2',
    level: 1,
    subject: 'Paths on the disk come from the server, not from submitted names',
    status: 'tested',
    tests: [
      `${SERVER}/modules/files/stored-files.system.test.ts: UP-19 UPL-7 two uploads with the same name are two files`,
    ],
    seenBy: ['uploads.names#names'],
  },
  {
    id: 'V5.4.1',
    level: 2,
    subject: 'Submitted names are cleaned or ignored, and a download names its file',
    status: 'tested',
    tests: [
      `${SERVER}/modules/files/stored-files.system.test.ts: UPL-7 paths, control characters and direction marks are removed`,
      `${SERVER}/modules/files/served-files.system.test.ts: UPL-7 UP-07 served content cannot be executed`,
    ],
    seenBy: ['uploads.names#names', 'uploads.contents#serving'],
  },
  {
    id: 'V5.4.2',
    level: 2,
    subject: 'Names in headers of downloads are encoded',
    status: 'tested',
    tests: [`${UPLOADS}/names-and-serving.test.ts: UPL-7 is one line of ASCII with balanced quotes for any name`],
    seenBy: ['uploads.names#served'],
  },
  {
    id: 'V5.4.3',
    level: 2,
    subject: 'Files of strangers are scanned for known malware',
    status: 'deviation',
    why: 'The server has no scanner and no place for one: a file is listed as soon as the policy accepts it.',
    instead:
      'Contents must fit their type, active content stays private, and downloads are attachments in a sandbox. Who ' +
      'needs a scanner runs it over SERVICE_STORAGE_DIR or the bucket, and deletes what it finds by the interface.',
    tests: [
      `${SERVER}/modules/files/served-files.system.test.ts: UP-18 UPL-5 active content that an administrator lists`,
    ],
  },
];
