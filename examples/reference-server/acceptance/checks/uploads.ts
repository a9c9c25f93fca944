import { NOBODY } from '../admin-routes.js';
import { type Answer, inShort } from '../answer.js';
import type { AcceptanceCheck, CheckContext } from '../check.js';
import { hostileFiles } from '../hostile-files.js';
import { NotRunError } from '../not-run.js';
import { findLeftBehind } from '../temporaries.js';
import { acceptedKind, type FormFile, formOf, upload } from '../uploads.js';

const isRefusal = ({ status }: Answer) => status >= 400 && status < 500;

/** Types that a browser runs. */
const ACTIVE = /html|svg|xml|javascript/i;

/** Why a browser could execute the file as it is served; empty if it cannot. */
async function dangersOf({ deployment, operator }: CheckContext, id: unknown): Promise<string[]> {
  const served = await deployment.call({ path: `/admin/storage/files/${id}/content`, token: operator.token });
  const header = (name: string) => served.headers.get(name) ?? '';
  const dangers: string[] = [];
  if (served.status !== 200) dangers.push(`its content is answered ${inShort(served)}`);
  if (ACTIVE.test(header('content-type'))) dangers.push(`it is served as ${header('content-type')}`);
  if (header('x-content-type-options').toLowerCase() !== 'nosniff') dangers.push('without nosniff');
  if (!/(?:^|;)\s*sandbox/.test(header('content-security-policy'))) dangers.push('without a sandbox');
  if (!/^attachment\b/i.test(header('content-disposition'))) dangers.push('not as an attachment');
  return dangers;
}

const contents: AcceptanceCheck = {
  id: 'uploads.contents',
  title: 'hostile files are refused, or stored so that nothing of them runs in a browser',
  parts: ['types', 'archives', 'serving'],
  async run(context) {
    const { temporaries, deployment, operator, did, hole, prefix } = context;
    const honest = await acceptedKind(context);
    const outcomes = { refused: 0, harmless: 0 };
    const stored = new Set([honest.id]);
    for (const { what, ending, type, content, must } of hostileFiles()) {
      const part = ending.endsWith('.zip') ? 'archives' : 'types';
      const answer = await upload(context, { name: `${temporaries.name()}-${ending}`, type, content });
      const id: unknown = answer.json?.data?.id;
      if (typeof id === 'string') stored.add(id);
      if (isRefusal(answer)) {
        outcomes.refused += 1;
      } else if (answer.status !== 201) {
        hole(`${what} (${ending}) is answered ${inShort(answer)}, which is no refusal`);
      } else if (must === 'be refused') {
        hole(`${what} (${ending}, sent as ${type}) is accepted`, part);
      } else {
        const dangers = await dangersOf(context, id);
        if (dangers.length > 0) hole(`${what} (${ending}) is accepted, and ${dangers.join(', ')}`, 'serving');
        else outcomes.harmless += 1;
      }
    }
    const listed = await findLeftBehind(deployment, operator.token, prefix);
    const unasked = listed.filter(({ kind, id }) => kind === 'file' && !stored.has(id));
    for (const { name } of unasked) hole(`${name} was refused, but is listed`);
    did(
      `one honest ${honest.extension} accepted; of the hostile ones ${outcomes.refused} refused, ${outcomes.harmless} stored harmless`,
    );
  },
};

/** Misleading beginnings of file names; the run's prefix and a true extension follow. */
const lyingNames: readonly [what: string, front: string, back: string][] = [
  ['a path upwards', '../../../../tmp/', ''],
  ['a path of Windows', '..\\..\\windows\\', ''],
  ['an absolute path', '/etc/cron.d/', ''],
  ['an encoded path', '%2e%2e%2f%2e%2e%2f', ''],
  ['NUL in front of another extension', 'x.php\0', ''],
  ['text that runs backwards', '', '\u202egpj.exe'],
  ['escapes of a terminal', '\x1b[2J', ''],
  ['line breaks of Unicode', '', '\u2028x\u2029'],
  ['markup', '<img src=x onerror=alert(1)>', ''],
  ['a very long name', 'n'.repeat(300), ''],
];

/** Paths, control characters, direction marks and separators. */
const UNCLEAN = /[/\\\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u200e\u200f]/u;

const names: AcceptanceCheck = {
  id: 'uploads.names',
  title: 'names lose their paths, controls and marks of direction, or are refused',
  parts: ['names', 'served'],
  async run(context) {
    const { deployment, operator, temporaries, did, hole } = context;
    const { extension, type, content } = await acceptedKind(context);
    let accepted = 0;
    for (const [what, front, back] of lyingNames) {
      const name = `${front}${temporaries.name()}${back}.${extension}`;
      const answer = await upload(context, { name, type, content: content() });
      if (isRefusal(answer)) continue;
      const { id, fileName } = answer.json?.data ?? {};
      if (answer.status !== 201 || typeof fileName !== 'string') {
        hole(`a name with ${what} is answered ${inShort(answer)}`);
        continue;
      }
      accepted += 1;
      if (UNCLEAN.test(fileName)) hole(`a name with ${what} is shown as ${JSON.stringify(fileName)}`, 'names');
      const served = await deployment.call({ path: `/admin/storage/files/${id}/content`, token: operator.token });
      const disposition = served.headers.get('content-disposition') ?? '';
      if (/[/\\]|\.\.[/\\%]|%2f|%5c|%0[0ad]|%e2%80%ae/i.test(disposition)) {
        hole(`a name with ${what} is served as ${JSON.stringify(disposition)}`, 'served');
      }
    }
    did(`${lyingNames.length} lying names: ${accepted} accepted under a clean one, the others refused`);
  },
};

/** The largest upload of a check, in megabytes. */
const MAX_SENT_MEGABYTES = 64;

const size: AcceptanceCheck = {
  id: 'uploads.size',
  title: 'a file of one byte more than the limit is refused',
  async run(context) {
    const { deployment, operator, temporaries, did, hole } = context;
    const { extension, type, content } = await acceptedKind(context);
    const key = 'admin.storage.upload.max-size-mb';
    const parameter = await deployment.call({ path: `/admin/system-parameters/${key}`, token: operator.token });
    const limit: unknown = parameter.json?.data?.value;
    if (typeof limit !== 'number') throw new NotRunError(`could not read ${key}: ${inShort(parameter)}`);
    if (limit > MAX_SENT_MEGABYTES) throw new NotRunError(`the limit is ${limit} MB; more than 64 MB are not sent`);
    const honest = content();
    const large = Buffer.concat([honest, Buffer.alloc(limit * 1024 * 1024 + 1 - honest.length, 0x20)]);
    const answer = await upload(context, { name: `${temporaries.name()}.${extension}`, type, content: large });
    if (answer.status !== 413) hole(`a file of ${large.length} bytes is answered ${inShort(answer)}, and not 413`);
    did(`sent ${large.length} bytes where ${limit} MB are allowed: ${inShort(answer)}`);
  },
};

const forms: AcceptanceCheck = {
  id: 'uploads.forms',
  title: 'forms that are not one file are refused, and what may not be previewed is not',
  async run(context) {
    const { deployment, operator, temporaries, did, hole } = context;
    const { id, extension, type, content } = await acceptedKind(context);
    const named = (ending: string): FormFile => ({ name: `${temporaries.name()}.${ending}`, type, content: content() });

    const fields = await upload(context, named(extension), { owner: operator.id });
    if (!isRefusal(fields)) hole(`a form with an unknown field is answered ${inShort(fields)}`);
    const { headers, bytes } = formOf(named(extension));
    const boundary = headers['content-type'].split('boundary=')[1];
    const twice = Buffer.concat([bytes.subarray(0, bytes.lastIndexOf(`--${boundary}--`)), bytes]);
    const authorization = `Bearer ${operator.token}`;
    const request = { method: 'POST', target: '/admin/storage/files', headers: { ...headers, authorization } };
    const two = await deployment.send({ ...request, body: twice });
    temporaries.remember('file', two.json?.data?.id);
    if (!isRefusal(two)) hole(`a form with two files is answered ${inShort(two)}`);

    const hidden = await deployment.call({ path: `/public/storage/preview?id=${id}` });
    if (hidden.status === 200) hole('a file that was not marked for public preview is previewed');
    const bare = await deployment.call({ path: `/public/storage/download?id=${id}` });
    if (bare.status === 200) hole('a file that was not marked for public preview is downloaded without a ticket');
    const unknown = await deployment.call({ path: `/public/storage/download?id=${NOBODY}` });
    if (inShort(bare) !== inShort(unknown)) {
      hole(`without a ticket a private file is answered ${inShort(bare)}, and an unknown one ${inShort(unknown)}`);
    }
    let previewed = 0;
    for (const ending of ['html', 'svg', 'pdf', 'txt', 'js']) {
      const answer = await upload(context, named(ending), { publicPreview: 'true' });
      if (isRefusal(answer)) continue;
      previewed += 1;
      const preview = await deployment.call({ path: `/public/storage/preview?id=${answer.json?.data?.id}` });
      const media = preview.headers.get('content-type') ?? '';
      const isDangerous = preview.status === 200 && (ACTIVE.test(media) || ['html', 'svg', 'js'].includes(ending));
      if (isDangerous) hole(`a .${ending} marked for public preview is shown to everybody as ${media}`);
    }
    did(
      `sent a field too many and two files; asked for public previews of 6 files, ${previewed} were accepted for one`,
    );
  },
};

export const uploadChecks: readonly AcceptanceCheck[] = [contents, names, size, forms];
