export { default } from '@fastify/swagger-ui';
