import { randomBytes, randomUUID } from 'node:crypto';
import { type Answer, inShort } from './answer.js';
import type { CheckContext } from './check.js';
import { onePixelPng } from './hostile-files.js';
import { NotRunError } from './not-run.js';

/** A file in a form. */
export interface FormFile {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
}

/** A form with one file and its unmodified name, fields first, as browsers send it. */
export function formOf(
  { name, type, content }: FormFile,
  fields: Readonly<Record<string, string>> = {},
): { readonly headers: { readonly 'content-type': string }; readonly bytes: Buffer } {
  const boundary = `----acceptance${randomUUID()}`;
  const disposition = 'content-disposition: form-data; name=';
  const parts = Object.entries(fields).map(
    ([field, value]) => `--${boundary}\r\n${disposition}"${field}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\n${disposition}"file"; filename="${name}"\r\ncontent-type: ${type}\r\n\r\n`;
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    bytes: Buffer.concat([Buffer.from(parts.join('') + head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}

/** Uploads it as the operator. A stored file is deleted when the check ends. */
export async function upload(
  { deployment, operator, temporaries }: Pick<CheckContext, 'deployment' | 'operator' | 'temporaries'>,
  file: FormFile,
  fields?: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const { headers: type, bytes } = formOf(file, fields);
  // On its own connection: a server may answer and close before it has read everything.
  const answer = await deployment.send({
    method: 'POST',
    target: '/admin/storage/files',
    headers: { ...headers, ...type, authorization: `Bearer ${operator.token}` },
    body: bytes,
  });
  if (answer.code === 'PERMISSION_DENIED') throw new NotRunError("the token's administrator may not upload files");
  temporaries.remember('file', answer.json?.data?.id);
  return answer;
}

/** Genuine files, most likely allowed first. */
const HONEST = [
  { extension: 'png', type: 'image/png', content: onePixelPng },
  {
    extension: 'txt',
    type: 'text/plain',
    content: () => Buffer.from(`acceptance ${randomBytes(8).toString('hex')}\n`),
  },
  { extension: 'csv', type: 'text/csv', content: () => Buffer.from(`a,b\n1,${randomBytes(8).toString('hex')}\n`) },
] as const;

/** A kind of genuine file that this deployment accepts. @throws NotRunError if there is none */
export async function acceptedKind(
  context: Pick<CheckContext, 'deployment' | 'operator' | 'temporaries'>,
): Promise<{ readonly id: string; readonly extension: string; readonly type: string; readonly content: () => Buffer }> {
  const refusals: string[] = [];
  for (const { extension, type, content } of HONEST) {
    const name = `${context.temporaries.name()}.${extension}`;
    const answer = await upload(context, { name, type, content: content() });
    if (answer.status === 201) return { id: String(answer.json?.data?.id), extension, type, content };
    refusals.push(`${extension} ${inShort(answer)}`);
  }
  throw new NotRunError(`no honest file is accepted, so refusals prove nothing: ${refusals.join(', ')}`);
}

/** The id of a small file that is stored until the check ends. */
export async function storedFile(context: CheckContext): Promise<string> {
  return (await acceptedKind(context)).id;
}
