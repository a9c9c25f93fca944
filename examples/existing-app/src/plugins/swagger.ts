export { default } from '@fastify/swagger';
export const autoConfig = { openapi: { info: { title: 'Orders', version: '1.0.0' } } };
