import { createHash } from 'node:crypto';
import type { Violation } from './history-checker.js';

interface StoredFile {
  readonly id: string;
  /** Of the content that was sent, or that the server acknowledged, in lower-case hex. */
  readonly sha256: string;
}

/** Reads the content of each file through the server. */
export async function checkContents(origin: string, token: string, files: readonly StoredFile[]): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const { id, sha256 } of files) {
    const response = await fetch(`${origin}/admin/storage/files/${id}/content`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const hash = createHash('sha256')
      .update(Buffer.from(await response.arrayBuffer()))
      .digest('hex');
    if (response.status === 200 && hash === sha256) continue;
    violations.push({ kind: 'content-lost', key: id, detail: `${response.status}, SHA-256 ${hash}` });
  }
  return violations;
}
