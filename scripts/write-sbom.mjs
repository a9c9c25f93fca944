// `pnpm run sbom [folder]`: writes a bill of materials (CycloneDX 1.7) of each published package and of the reference
// server, by default to `sbom`. Each is checked against the schema of CycloneDX, and its licences against the list.
import { resolve } from 'node:path';
import { checkBills } from './publishing/bills-of-materials.mjs';

const folder = resolve(process.argv[2] ?? 'sbom');
const { count, faults } = await checkBills(folder);
process.stdout.write(`${faults.map((fault) => `${fault}\n`).join('')}${count} bills of materials in ${folder}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
