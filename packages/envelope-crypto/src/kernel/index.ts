export { createProvenKernel, type ProvenKernel } from './proven-kernel.js';
