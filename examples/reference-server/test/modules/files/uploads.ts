import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { LightMyRequestResponse } from 'fastify';
import type { App } from '../../../src/app.js';
import { type FormFile, formWith } from './multipart.js';

type Headers = Readonly<Record<string, string>>;

/** One pixel, from ImageMagick's `convert -size 1x1 xc:red png:-`, without its texts. */
export const png: FormFile = {
  name: 'pixel.png',
  type: 'image/png',
  content: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
    'base64',
  ),
};

/** A unique text of the given length. */
export function textFile(size: number, name = 'text.txt'): FormFile {
  const content = Buffer.from(
    randomBytes(Math.ceil(size / 2))
      .toString('hex')
      .slice(0, size),
  );
  return { name, type: 'text/plain', content };
}

/** Uploads a file to a route. */
export function uploadTo(
  app: App,
  url: string,
  headers: Headers,
  file: FormFile,
  fields: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> {
  const form = formWith(file, fields);
  return app.inject({ method: 'POST', url, headers: { ...headers, ...form.headers }, payload: form.payload });
}

/** Uploads a file as an administrator. */
export function upload(
  app: App,
  headers: Headers,
  file: FormFile,
  fields: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> {
  return uploadTo(app, '/admin/storage/files', headers, file, fields);
}

/** Stores a file and returns its id. */
export async function stored(...upload_: Parameters<typeof upload>): Promise<string> {
  const response = await upload(...upload_);
  if (response.statusCode !== 201) throw new Error(`upload refused: ${response.body}`);
  return response.json().data.id;
}

/** Changes a system parameter. */
export async function setParameter(app: App, headers: Headers, key: string, value: unknown): Promise<void> {
  const url = `/admin/system-parameters/${key}`;
  const { version } = (await app.inject({ url, headers })).json().data;
  const response = await app.inject({ method: 'PUT', url, headers, payload: { value, version } });
  if (response.statusCode !== 200) throw new Error(`parameter refused: ${response.body}`);
}

/** Every file below a folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
